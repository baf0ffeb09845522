import { durationText } from './time.ts'

/** The shortest and the longest time limit that a task or an agent may state. */
export const SHORTEST_ATTEMPT_MS = 1_000
export const LONGEST_ATTEMPT_MS = 86_400_000
/** The most steps of an attempt that a task may allow. */
export const MOST_STEPS = 200

/** What sets the time limit of an attempt. `function` is the end of the function that runs it, in mode `pro`. */
type LimitSource = 'task' | 'agent' | 'installation' | 'function'
export type AttemptLimit = { readonly ms: number; readonly source: LimitSource }

type Limited = { readonly timeoutMs?: number | undefined }
type Limits = {
  /** For agents that state no limit. */
  installationMs: number
  /** The longest attempt in a function; absent where attempts run in no function. */
  functionMs?: number | undefined
}

/** Computes the limit of one attempt: that of the task, else of its agent, else of the installation. */
export const createAttemptLimit =
  ({ installationMs, functionMs = Number.POSITIVE_INFINITY }: Limits) =>
  (agent: Limited, task: Limited = {}): AttemptLimit => {
    const stated = statedLimit(agent, task) ?? { ms: installationMs, source: 'installation' }
    return stated.ms > functionMs ? { ms: functionMs, source: 'function' } : stated
  }

const statedLimit = (agent: Limited, task: Limited): AttemptLimit | undefined => {
  if (task.timeoutMs !== undefined) return { ms: task.timeoutMs, source: 'task' }
  return agent.timeoutMs === undefined ? undefined : { ms: agent.timeoutMs, source: 'agent' }
}

const LONGEST = durationText(LONGEST_ATTEMPT_MS)
const names: Readonly<Record<LimitSource, string>> = {
  task: `the limit of this task. Create it with a higher time limit (at most ${LONGEST}), or split it`,
  agent: `the limit of its agent. Create the task with its own time limit (at most ${LONGEST}), or split it`,
  installation: `the limit of the service (POOL_TIMEOUT_MS). Raise it, create the task with its own time limit (at most ${LONGEST}), or split it`,
  function:
    'the maximum for functions in mode pro. Split the task, or run it with npm start or in the container',
}

/** The message of an attempt whose time ran out: the limit that ended it, and where to change it. */
export const attemptTimeoutText = ({ ms, source }: AttemptLimit): string =>
  `The agent did not finish within ${durationText(ms)}, ${names[source]}`
