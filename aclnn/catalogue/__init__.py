"""Facts of all documented functions of the operator library, as data files, and the code that reads them.

`facts.facts("aclnnAdd")` reads the facts of one function; `index.names()` lists all functions. `c_types` turns a C type
into the CType by which the boundary converts arguments. `products` has the short names of the products. Files are read
at the first use.

Each category of the documents has a file in `data`: `nn_activation.jsonl`, `math_random.jsonl`. Each line is one
function, a JSON object in ASCII. The lines are sorted by name. They have names, types, numbers and relations, but no
sentences. A key with its default value is left out. An unknown fact is absent, or null where absence has another
meaning. No call is refused because of an unknown fact.

Keys of a function:

- `name`, `header`: the second phase, and the path that C programs include;
- `undocumented`, `older_tree`: true for a header without a document; true if only older sources have the function;
- `products`: the support of each product, by short name. `documented`: the newest document lists the product;
  `documented-older`: only an older edition does; `works`: another source shows that it runs there; `works-likely`: all
  operators that it is made of are documented there; `open`: the document omits the product, and no source excludes
  it; `unknown`: no document names its products; `no-kernel`: all registrations of its kernels are public and leave the
  product out; `refused`: the library tests the product; `refused-device`: a device was seen to refuse it.
- `sources` (public): by product, the edition or the source of the support. `gate` (public): the status for refused
  products, and the position of this check among the others: `first`, `early`, `nulls` or `last`;
- `phases`: 1 for a helper without a second phase; its `params` are the whole prototype. Otherwise the first phase ends
  with `uint64_t *workspaceSize, aclOpExecutor **executor`, which `params` leaves out;
- `const_stream`, `const_workspace_size`, `workspace_size_name`: how the second phase differs from the usual prototype;
  `phase2_undeclared`: the header does not declare it;
- `deterministic`: true (the default) if results are the same in every run; an object by product if products differ.
  `deterministic_switch`: true if a switch makes results deterministic;
- `refusals`: rows of the document's table of statuses, in the order of the document and not in that of the checks:
  status, parameters (none: any), kind, and details: bounds `max`, `min`, `in`, an expression in `refused`, and
  `conditional` for a row that holds in some modes only. The list is not complete;
- `params`: the parameters in the order of the prototype.

Keys of a parameter:

- `name`, `type`: as in the header. `doc_name`: the name in the document, where it differs;
- `io`: `in` (the default), `out` or `inout`. `optional`: true if null is accepted, perhaps in some modes only;
- `dtypes`: data types without ACL_, the union over products. `without`, `also`: types that a product lacks, or adds;
- `same_dtype`, `same_shape`, `same_rank`, `same_format`: parameters with which it shares the property;
- `promotes_with`: parameters in the same type promotion; `promoted_dtypes`: allowed results of the promotion;
- `promoted_from`, `castable_from`, `castable_to`: parameters whose promoted type is the type of this parameter, can be
  cast to that type, or can be cast from that type;
- `broadcasts_with`, `shape_broadcast_of`: parameters that it broadcasts with; parameters whose broadcast is its shape;
- `formats`: the default for tensors is `["ND"]`. `formats_without`: formats that a product lacks;
- `rank`: smallest and largest, null for no limit. `ranks`: the ranks themselves, if some between them are missing.
  `rank_by_case`: true if `rank` has the outer limits of several cases;
- `shapes`: symbolic shapes, such as `(B,S,N,D)`;
- `noncontiguous`: true (the default for tensors) if strided views are accepted. `empty`: true if empty tensors are;
- `code_accepts`: what the library accepts beyond the document: `dtypes` by product, further `ranks`, `null`.

Names, types, headers and products are reliable. Data types are unions: allowed combinations are not listed. Refusals
serve as a checklist. A declaration in `aclnn.ops` adds the relations and the formula, which are code.

The facts are separate from the code for two reasons. A function can have a prototype, a header, help and null checks
before it has a kernel. And one search for a function's name finds its facts, its declaration and its formula.

Rejected designs. Facts in a class per function: 20,000 lines of Python with tables, all imported to list the functions.
Facts in one large file: its changes are hard to review. A stored index from names to files: it can be out of date, and
making one takes two milliseconds.
"""
