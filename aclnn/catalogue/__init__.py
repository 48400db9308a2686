"""Facts of all documented functions of the operator library, as data files, and the code that reads them.

`facts("aclnnAdd")` in `facts` reads one function; `names()` in `index` lists all. `c_types` turns a C type into the
CType of the boundary. `products` has the short names of the products. Nothing is read before the first question.

Each category of the documents has a file in `data`: `nn_activation.jsonl`, `math_random.jsonl`. A line of it is one
function, a JSON object in ASCII. The lines are sorted by name. They hold names, types, numbers and relations, and no
sentences. A key with its default value is left out. A fact that the documents do not give is absent, or null where
absence has another meaning. Such a fact refuses nothing.

Keys of a function:

- `name`, `header`: the second phase, and the path that C programs include;
- `undocumented`, `older_tree`: a header without a document; only in older sources;
- `products`: the support of each product, by short name. `documented`: the newest document lists the product;
  `documented-older`: only an older edition does; `works`: another source shows that it runs there; `works-likely`: all
  operators that it is made of are documented there; `open`: nothing but the document speaks against it; `unknown`:
  no document names its products; `no-kernel`: all registrations of its kernels are public and leave the product out;
  `refused`: the library tests the product; `refused-device`: a device was seen to refuse it. (Public, as are the next
  two.) `sources`: by product, the edition or the source of the support. `gate`: the status of products that are
  refused, and the place of the test: `first`, `early`, `nulls` or `last`;
- `phases`: 1 for a helper without a second phase; its `params` are the whole prototype. Otherwise the first phase ends
  with `uint64_t *workspaceSize, aclOpExecutor **executor`, which `params` leaves out;
- `const_stream`, `const_workspace_size`, `workspace_size_name`: how the second phase differs from the usual prototype;
  `phase2_undeclared`: the header forgets it;
- `deterministic`: by default; true unless given, by product where products differ. `deterministic_switch`: a switch
  makes it so;
- `refusals`: rows of the document's table of statuses, in the order of the document and not in that of the checks:
  status, parameters (none: any), kind, and details: bounds `max`, `min`, `in`, an expression in `refused`, and
  `conditional` for a row that holds in some modes only. The list is not complete;
- `params`: the parameters in the order of the prototype.

Keys of a parameter:

- `name`, `type`: as in the header. `doc_name`: the name in the document, where it differs;
- `io`: `in` unless given. `optional`: may be null, perhaps in some modes only;
- `dtypes`: data types without ACL_, the union over products. `without`, `also`: fewer and more on a product;
- `same_dtype`, `same_shape`, `same_rank`, `same_format`: the same as that of these parameters, without condition;
- `promotes_with`: type promotion with these; `promoted_dtypes`: the promoted type is one of these types;
- `promoted_from`, `castable_from`, `castable_to`: equal to, castable from, castable to the promoted type of these;
- `broadcasts_with`, `shape_broadcast_of`: broadcasts with these; has the shape that these broadcast to;
- `formats`: `["ND"]` for tensors unless given. `formats_without`: fewer on a product;
- `rank`: smallest and largest, null for no limit. `ranks`: the ranks themselves, if some between them are missing.
  `rank_by_case`: these are the outer limits of several cases;
- `shapes`: symbolic shapes, such as `(B,S,N,D)`;
- `noncontiguous`: are strided views accepted? true for tensors unless given. `empty`: are empty tensors accepted?
- `code_accepts`: what the library accepts beyond the document: `dtypes` by product, further `ranks`, `null`.

How far to trust them. Names, types, headers and products are reliable. Data types are unions: allowed combinations are
not here. Refusals serve as a checklist. A declaration in `aclnn.ops` adds the relations and the formula that data
cannot hold.

The facts stand apart from the code for two reasons. A thousand functions can exist (prototype, header, help, null
checks) before each has a kernel. And one search for a function's name finds its facts, its declaration and its formula.

Rejected. Facts inside the declaring classes: a class per documented function would be 20,000 lines of Python that
only hold tables, all imported to list the functions. Facts in one large file: nobody can review a change of it. An
index from names to files that is kept in a file: it can be wrong, and to make it anew takes two milliseconds.
"""
