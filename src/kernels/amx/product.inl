// Products of bytes, also to brain floats for attention.inl.
void Int8ProductBf16(const Int8ProductArgs& args) {
  if (args.c_element != Element::kBF16) return Int8Product(args);
  if (args.rows > 0) Int8ProductAs<Element::kBF16, false, Activate::kNone>(args);
}
