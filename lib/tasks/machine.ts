/** The task lifecycle. A state refuses verbs that it does not list; a change is conditional on the state it leaves. */
export const transitions = {
  pending: { enqueue: 'queued', cancel: 'cancelled' },
  queued: {
    start: 'in_progress',
    // No attempt may begin, as while the provider of its agent is held: the task has no message until it is let go on.
    wait: 'queued',
    proceed: 'queued',
    cancel: 'cancelled',
    undeliverable: 'failed',
  },
  in_progress: {
    succeed: 'completed',
    retry: 'queued',
    defer: 'pending',
    recover: 'queued',
    release: 'queued',
    // A run that waits for a person: the task keeps its attempt, and no worker leases it.
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

/** The event that each verb adds to the task's log. */
export const verbEvents = {
  enqueue: 'queued',
  start: 'started',
  wait: 'progress',
  proceed: 'progress',
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

/** Whether a task has ended: no worker changes it any more. */
export const isFinal = (status: TaskStatus): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled'
