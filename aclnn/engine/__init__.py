"""The engine: from the declaration of an operator to its two C functions, and from a call of these to bytes in memory.

**What it is for.** An operator's file has three parts: the demands of its document (relations), the steps (a planner),
and the formula of each step (a kernel, a plain function of numpy arrays). The engine makes the rest of it: prototype,
help, the checks in the library's order with its statuses and texts, the size of the workspace, the launch, the
judgement of the memory that a launch uses, and the run.

**Nouns.**

- a *declaration* is a class of `Op`: its parameters, its `Check`s, its family (`declaration`, `constraints`). It is
  made from facts or a prototype by hand, and from relations (`from_facts`, `relation`, `words`);
- a *call* is an instance of it: the values and objects of one first phase;
- a *planner* queues steps over *operands* (`operand`) on a *plan builder* (`plan_builder`), which lays out the
  workspace (`workspace`) and makes
- a *plan* (`plan`): steps over tensors that are named by their roles, wherever they lie. Plans do not change;
- an *executor* (`plan.PlannedExecutor`) is a plan with the tensors of one call: what aclOpExecutor points to;
- a *binding* (`second_phase`) is a plan at addresses: its steps (`device_view`), and the memory that they use;
- a *task* goes into the stream. It runs the bound steps (`run`), large ones in tiles (`fast`).

**The story of a call, in order.**

1. First phase (`first_phase`): judge the call, plan it, hand out an executor.
2. Second phase (`second_phase`): judge the call, bind the plan to addresses, enqueue a task. Where the tensors and the
   workspace lie is judged by `launch_memory`, how they lie to each other by `aliases`.
3. The run (`run`), when the stream gets there: arrays over the inputs' bytes, 16-bit floats widened to float32; the
   kernel's formula; each result rounded once into its output's bytes (`numbers`). A kernel that reads
   positions checks their range first (`steps.indices`), as no earlier step can read them.

Functions without a second phase stand in `on_host`, and steps that several operators share in `steps`.

`two_phase` puts this together, and wraps the first two in the memo (`memo`), which holds every cache of a call. Without
the memo a call does the same, slower. `help` makes the texts of the functions from the declaration, `op_errors` the
statuses of the library.

**What was rejected.** Computing in the second phase: host code that forgets to synchronise would see results. Plans
with addresses in them: calls in a loop would share nothing, and a repeatable executor whose addresses are set anew
would need a second plan. Caches between the steps, as there were at first: nobody could read what a launch does without
reading its caches too. Kernels written for tiles: the formula would no longer read as the document's.

**Who imports what.** An operator imports from `aclnn.op`; one in `aclnn.ops` may import from the modules here as well.
Nothing in here knows an operator.
"""
