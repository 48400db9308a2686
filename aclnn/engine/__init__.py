"""The engine: from the declaration of an operator to its two C functions, and from a call of these to bytes in memory.

**What it is for.** An operator's file says three things: what the operator's document demands (a class), which steps
it takes (a planner), and what each step computes (a kernel, a plain function of numpy arrays). The engine makes the
rest of it: prototype, help, the checks in the library's order with its statuses and texts, the size of the workspace,
the launch, the judgement of the memory that a launch uses, and the run.

**Nouns.**

- a *declaration* is a class of `Op`: its parameters, its `Check`s, its family (`declaration`, `constraints`);
- a *call* is an instance of it: the values and objects of one first phase;
- a *planner* queues steps on a *plan builder* (`plan_builder`), which lays out the workspace (`workspace`) and makes
- a *plan* (`plan`): steps over tensors that are named by their roles, wherever they lie. Plans do not change;
- an *executor* (`plan.Planned`) is a plan with the tensors of one call: what aclOpExecutor points to;
- a *binding* (`second_phase`) is a plan at addresses: its steps (`access`), and the ranges of memory that they use;
- a *task* is what the stream gets. It runs the bound steps (`run`), large ones in tiles (`fast`).

**The story of a call, in order.**

1. First phase (`first_phase`): judge the call, plan it, hand out an executor.
2. Second phase (`second_phase`): judge the call, bind the plan to addresses, enqueue a task. Where the tensors and the
   workspace lie is judged by `launch_memory`, how they lie to each other by `aliases`.
3. The run (`run`), when the stream gets there: arrays over the inputs' bytes, 16-bit floats widened to float32; the
   kernel's formula; each result rounded once into its output's bytes (`numerics`, `halves`). A kernel that reads
   positions looks at them first (`indices`): that they are in range only the device can know.

`two_phase` puts this together, with the memo (`memo`) around the first two. The memo holds every cache of the story;
without it a call does the same, slower. `help` makes the texts of the functions from the declaration, `op_errors` the
statuses of the library. `base` declares aclnnInit and aclnnFinalize.

**What was rejected.** Computing in the second phase: host code that forgets to synchronise would see results. Plans
with addresses in them: calls in a loop would share nothing, and a repeatable executor whose addresses are set anew
would need a second plan. Caches inside the story, where they stood first: nobody could say what a launch does without
reading what it remembers. Kernels written for tiles: the formula would no longer read as the document's.

**Who imports what.** An operator outside this project imports from `aclnn.op` only. The operators in `aclnn.ops` import
from here. Nothing in here knows an operator.
"""
