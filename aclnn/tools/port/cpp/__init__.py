"""The program in C++: the preprocessor, the parser, types, scopes, and the names of ACL."""
