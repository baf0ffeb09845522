/**
 * The task lifecycle. A verb that a state does not list is refused there; every change of state is one conditional
 * write guarded by the state it leaves.
 */
export const transitions = {
  pending: { enqueue: 'queued', cancel: 'cancelled' },
  queued: { start: 'in_progress', cancel: 'cancelled', undeliverable: 'failed' },
  in_progress: {
    succeed: 'completed',
    retry: 'queued',
    defer: 'pending',
    recover: 'queued',
    release: 'queued',
    // A run that waits for a person: the task keeps its attempt, and no worker has a lease on it.
    suspend: 'in_progress',
    resume: 'in_progress',
    fail: 'failed',
    cancel: 'cancelled',
  },
  completed: {},
  failed: { redrive: 'queued' },
  cancelled: {},
} as const

type Transitions = typeof transitions
export type TaskStatus = keyof Transitions
type VerbsOf<S extends TaskStatus> = S extends TaskStatus ? keyof Transitions[S] : never
export type TaskVerb = VerbsOf<TaskStatus>

export const TASK_STATUSES = Object.keys(transitions) as [TaskStatus, ...TaskStatus[]]

/** The entry that each verb leaves in the task's event log. */
export const eventOf = {
  enqueue: 'queued',
  start: 'started',
  succeed: 'completed',
  retry: 'retrying',
  defer: 'retrying',
  recover: 'recovered',
  release: 'recovered',
  suspend: 'progress',
  resume: 'progress',
  fail: 'failed',
  undeliverable: 'failed',
  cancel: 'cancelled',
  redrive: 'retried',
} as const satisfies Record<TaskVerb, string>

/** The state that `verb` leads to from `from`, or undefined where the lifecycle does not allow it. */
export const nextStatus = (from: TaskStatus, verb: TaskVerb): TaskStatus | undefined =>
  (transitions[from] as Partial<Record<TaskVerb, TaskStatus>>)[verb]

/** A task that will not change by itself any more. */
export const isFinal = (status: TaskStatus): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled'
