"""The engine makes the two C functions of an operator from its declaration, and runs the calls of these functions.

**Purpose.** An operator's file has three parts: the demands of its document (relations), the steps (a planner), and the
formula of each step (a kernel, a plain function of numpy arrays). The engine makes the rest: prototype, help, the
checks in the library's order with its statuses and texts, the size of the workspace, the launch, the checks of its
memory, and the run.

**Nouns.**

- A *declaration* is a class of `Op`: its parameters, its `Check`s, its family (`declaration`, `constraints`). It is
  made of a prototype, from facts or by hand, and of relations (`from_facts`, `relation`, `words`).
- A *call* is an instance of a declaration: the values and objects of one first phase.
- A *planner* queues steps over *operands* (`operand`) on a *plan builder* (`plan_builder`). The builder lays out the
  workspace (`workspace`) and makes a plan.
- A *plan* (`plan`) has steps over tensors, which are identified by their roles, not by addresses. Plans do not change.
- An *executor* (`plan.PlannedExecutor`) is a plan with the tensors of one call. An aclOpExecutor points to it.
- A *binding* (`second_phase`) is a plan at addresses: its steps (`device_view`), and the memory that they use.
- A *task* goes into the stream. It runs the bound steps (`run`), large ones in blocks (`fast`).

**The course of a call.**

1. First phase (`first_phase`): check the call, plan it, return an executor.
2. Second phase (`second_phase`): check the call, bind the plan to addresses, enqueue a task. `launch_memory` checks the
   addresses of tensors and workspace, and `aliases` checks their overlaps.
3. The run (`run`), when the stream reaches the task: arrays over the inputs' bytes, with 16-bit floats widened to
   float32; the kernel's formula; each result rounded once into its output's bytes (`numbers`). If a tensor has
   positions, its kernel checks their range first (`steps.indices`).

`on_host` has functions without a second phase, `steps` has steps that several operators share, and `ranks` has the task
of an operator that meets other ranks. `two_phase` combines
these modules, with the caches of `memo` around both phases. Without the caches a call has the same results, but is
slower. `help` makes the texts of the functions from the declaration. `op_errors` has the statuses of the library.

**Rejected.** Computing in the second phase: host code that forgets to synchronise would see results. Plans with
addresses in them: calls in a loop would share nothing, and a repeatable executor with new addresses would need a second
plan. Caches inside the phases: the code of a launch would be harder to read. Kernels written for blocks: their formulas
would differ from those of the documents.

**Imports.** An operator imports from `aclnn.op`. An operator in `aclnn.ops` may also import from the modules here. No
module here depends on an operator.
"""
