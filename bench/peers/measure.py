"""Peers and podium on one machine, in turns. Needs what bench/peers/setup made.

Usage: measure.py FOLDER [--podium build/release/bench/model_bench] [--workload 128|var|512]… [--rounds N]
                  [--precision fp32|int8] [--isa TABLE] [--engines NAME,…] [--json FILE]

--isa is podium's kernel table. Unless it is amx, the peers are kept from AMX as well (engines.py says how).

Each round gives every engine one turn on every workload, in an order that rotates, so that a slow minute of the
machine hits all. A row shows real tokens per second (best and median of the rounds, and slowest / fastest time),
the share of the peak that podium's benchmark measured in the same rounds, and podium's speed over this
engine's, round by round: median and range. Peers must agree on a fixed batch before any is timed,
those in bytes with ONNX Runtime's fp32 to the spread of its logits.
"""
import argparse
import json
import pathlib
import platform
import statistics
import subprocess
import sys
import time

from workloads import THREADS, WORKLOADS, flops

HERE = pathlib.Path(__file__).resolve().parent
PAUSE_S = 0.3  # idle threads of the last engine stop spinning


ENGINES = {"fp32": "torch,ort,ort_fused,openvino", "int8": "torch_bf16,ort_int8,openvino_int8,openvino_int8_bf16"}


class Peer:
    def __init__(self, name, folder, tiles):
        self.name = name
        command = [sys.executable, HERE / "engines.py", name, folder] + ([] if tiles else ["--no-tiles"])
        self.process = subprocess.Popen(command, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def ask(self, command):
        print(command, file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline()
        if not answer:
            sys.exit(f"{self.name}: ended during '{command}'; run engines.py by hand to see why")
        return json.loads(answer)

    def turn(self, workload):
        return {"seconds": self.ask(f"run {workload}")}

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Podium:
    name = "podium"

    def __init__(self, program, folder, precision, isa):
        self.command = [program, "--model", folder, "--threads", str(THREADS), "--precision", precision, "--repeat", "1"]
        self.command += (["--isa", isa] if isa else []) + ["--workload"]

    def turn(self, workload):
        line = subprocess.run(self.command + [workload], check=True, capture_output=True, text=True).stdout
        result = json.loads(line)
        return {"seconds": sum(WORKLOADS[workload]) / result["tokens_per_s"], "peak": result["peak_gflops"] * 1e9}

    def close(self):
        pass


def check_answers(peers, folder, precision):
    exact = precision == "fp32"
    reference = peers[0] if exact else Peer("ort", folder, tiles=False)
    first = reference.ask("check")
    allowed = 1e-3 if exact else max(first) - min(first)
    for peer in peers:
        distance = max(abs(a - b) for a, b in zip(first, peer.ask("check"), strict=True))
        if distance > allowed:
            sys.exit(f"{peer.name} and {reference.name} differ by {distance:.2g}, allowed: {allowed:.2g}: one computes something else")
        print(f"{peer.name}: logits at most {distance:.2g} off, allowed {allowed:.2g}", file=sys.stderr)
    if not exact:
        reference.close()


def cpu_name():
    for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor()


def summarise(engine, workload, turns, podium_turns, config):
    lengths = WORKLOADS[workload]
    seconds = [turn["seconds"] for turn in turns]
    row = {"engine": engine, "workload": workload, "tokens_per_s": sum(lengths) / min(seconds),
           "tokens_per_s_median": sum(lengths) / statistics.median(seconds), "spread": max(seconds) / min(seconds)}
    if podium_turns:
        peak = max(turn["peak"] for turn in podium_turns)
        row["share_of_peak"] = flops(config, lengths) / min(seconds) / peak
        ratios = [own / turn["seconds"] for own, turn in zip(seconds, podium_turns, strict=True)]
        row["podium_ratio"] = statistics.median(ratios)
        row["podium_ratio_range"] = [min(ratios), max(ratios)]
    return row


def show(rows):
    print(f"{'workload':8} {'engine':10} {'tokens/s':>9} {'median':>9} {'spread':>6} {'peak':>6}  podium ÷ this (range)")
    for row in rows:
        peak, ratio = "", ""
        if "podium_ratio" in row:
            low, high = row["podium_ratio_range"]
            peak = f"{row['share_of_peak']:.0%}"
            ratio = f"{row['podium_ratio']:.2f} ({low:.2f}–{high:.2f})"
        print(f"{row['workload']:8} {row['engine']:10} {row['tokens_per_s']:9,.0f} {row['tokens_per_s_median']:9,.0f} "
              f"{row['spread']:6.2f} {peak:>6}  {ratio}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--podium", help="the model_bench program")
    parser.add_argument("--workload", action="append", choices=WORKLOADS)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--precision", choices=ENGINES, default="fp32")
    parser.add_argument("--isa", default="")
    parser.add_argument("--engines")
    parser.add_argument("--json", help="write the rows here, with machine and versions")
    arguments = parser.parse_args()

    config = json.loads((pathlib.Path(arguments.folder) / "config.json").read_text(encoding="utf-8"))
    tiles = arguments.isa in ("", "amx")
    names = arguments.engines or ENGINES[arguments.precision]
    peers = [Peer(name, arguments.folder, tiles) for name in names.split(",")]
    check_answers(peers, arguments.folder, arguments.precision)
    if not tiles and (having := [peer.name for peer in peers if peer.ask("tiles")]):
        sys.exit(f"{', '.join(having)}: may use AMX all the same")
    engines = list(peers)
    if arguments.podium:
        engines.append(Podium(arguments.podium, arguments.folder, arguments.precision, arguments.isa))
    rows = []
    for workload in arguments.workload or WORKLOADS:
        turns = {engine.name: [] for engine in engines}
        for peer in peers:
            peer.turn(workload)  # compiles and warms each shape
        for turn in range(arguments.rounds):
            first = turn % len(engines)
            for engine in engines[first:] + engines[:first]:
                time.sleep(PAUSE_S)
                turns[engine.name].append(engine.turn(workload))
        rows += [summarise(name, workload, own, turns.get("podium"), config) for name, own in turns.items()]
    for engine in engines:
        engine.close()
    show(rows)
    if arguments.json:
        head = {"machine": cpu_name(), "threads": THREADS, "precision": arguments.precision, "isa": arguments.isa, "folder": pathlib.Path(arguments.folder).name,
                "rounds": arguments.rounds, "when": time.strftime("%Y-%m-%d"),
                "requirements": (HERE / "requirements.txt").read_text(encoding="utf-8").split("\n")[1:-1]}
        pathlib.Path(arguments.json).write_text(json.dumps(head | {"rows": rows}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
