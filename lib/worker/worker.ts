import { errorMessage } from '../core/errors.ts'
import { lostFields, lostText } from '../core/truncated.ts'
import type { AgentAdapter, AgentContext } from '../ports/agent.ts'
import type { Tracing } from '../ports/tracing.ts'
import { publicTask, type RunTask, TASK_DEFINITION, type Task } from '../tasks/schema.ts'
import { createLeasedRuns, type Leased, type LeasedRun } from './active.ts'
import { createRunner, type Ended, failedRun } from './run.ts'
import { createSlots, type Slot } from './slots.ts'
import { createAttemptSpans } from './spans.ts'

type Needs = Parameters<typeof createLeasedRuns>[0] &
  Parameters<typeof createRunner>[0] & {
    /** Leases the task of a message; undefined when there is nothing to run now. */
    claim: (message: RunTask) => Promise<Leased | undefined>
    /** Writes the end of a run. */
    finish: (task: Leased, ended: Ended) => Promise<void>
    agent: (type: string) => Promise<AgentAdapter | undefined>
    /** The workspace of a run, and the earlier turns of its thread. */
    place: (task: Leased, resumes: boolean) => Promise<Pick<AgentContext, 'workspace' | 'earlier'>>
    /** The most runs of all queues together. */
    mostRuns: number
    tracing: Tracing
  }

/** The most ends that may wait for their write; beyond this, a slot waits for the write of its own run. */
const MOST_FINISHING = 256

/** Claims tasks when a slot is free, runs their agents and writes outcomes; the slot is free before the write ends. */
export const createWorker = (needs: Needs) => {
  const { claim, finish, mostRuns, log, active } = needs
  const slots = createSlots(mostRuns)
  const leased = createLeasedRuns(needs)
  const execute = createRunner(needs)
  const inAttempt = createAttemptSpans(needs.tracing)
  /** The runs that go on without their call, and the ends that are not written. */
  let away = 0
  let finishing = 0
  const idle: (() => void)[] = []

  const runAgent = async (run: LeasedRun, slot: Slot, message: RunTask): Promise<Ended> => {
    const { task } = run
    // A run that was to go on from its checkpoint may be claimed anew.
    const isResumed = message.resume === true || task.checkpoint !== undefined
    const agent = await needs.agent(task.agent)
    const view = agentView(task)
    if (agent === undefined) return unavailable(task)
    const lost = lostFields(task, isResumed ? [...TASK_DEFINITION, 'checkpoint'] : TASK_DEFINITION)
    if (lost.length > 0) return dataLost(task, lost)
    const place = await needs.place(task, agent.canResume === true).catch(asEnded(task))
    if ('kind' in place) return place
    const given = { ...place, ...(isResumed && task.checkpoint && { checkpoint: task.checkpoint }) }
    const attempt = () => execute(run, slot, view, agent, given)
    return inAttempt(task, message, attempt, () => run.spent)
  }

  /** The run stays active until its end is written: the heartbeat renews its lease, so that no tick recovers the task. */
  const writeEnd = async (run: LeasedRun, ended: Ended) => {
    finishing += 1
    try {
      await finish(run.costed(), ended)
    } catch (thrown) {
      // The task is not lost: its lease runs out, and the next tick recovers it.
      log.error(
        { ...run.task.trace, taskId: run.taskId, reason: errorMessage(thrown) },
        'the end of a run was not written',
      )
    }
    active.remove(run)
    finishing -= 1
    wakeIfIdle()
  }

  const wakeIfIdle = () => {
    if (away + finishing === 0) for (const wake of idle.splice(0)) wake()
  }

  const work = async (slot: Slot, message: RunTask): Promise<void> => {
    try {
      active.refuseIfStopped()
      const task = await claim(message)
      if (task === undefined) return
      const run = leased(task)
      const written = writeEnd(run, await runAgent(run, slot, message))
      if (finishing > MOST_FINISHING) await written
    } finally {
      slot.end()
    }
  }

  return {
    /** Resolves when the slot is free again. Rejects when the claim was not written: the queue delivers it again. */
    run: async (message: RunTask): Promise<void> => {
      // A task that was claimed without a slot would hold its lease for nothing, and be ahead of more urgent ones.
      const free = slots.acquire()
      if (free) await free
      const slot = slots.open()
      // A run that waits for a person gives its slot up, and goes on without this call.
      const whole = work(slot, message)
      const isAway = await Promise.race([whole.then(() => false), slot.givenUp.then(() => true)])
      if (!isAway) return
      away += 1
      const end = () => {
        away -= 1
        wakeIfIdle()
      }
      whole.then(end, end)
    },
    /** Resolves when the outcomes of all runs so far are written. */
    settled: (): Promise<void> =>
      away + finishing === 0 ? Promise.resolve() : new Promise((resolve) => idle.push(resolve)),
  }
}

/** Without its definition a task would do something else than what was asked. */
const dataLost = (task: Leased, fields: readonly string[]): Ended => {
  const message = `The task cannot run: ${lostText(fields)}`
  return failedRun(task, { error: { code: 'stored_data_lost', message }, retryable: false })
}

const unavailable = (task: Leased): Ended => {
  const message = `The agent ${task.agent} is not registered. Set AGENT_ADAPTERS, or choose another agent`
  return failedRun(task, { error: { code: 'agent_unavailable', message }, retryable: false })
}

/** Storage that cannot be read now: the attempt has done no work, and is not counted. */
const asEnded =
  (task: Leased) =>
  (thrown: unknown): Ended => {
    const error = { code: 'storage_unavailable', message: errorMessage(thrown) }
    return failedRun(task, { error, retryable: true, refused: true })
  }

/** The public fields of the task: agents do not see the stored fields beside them. */
const agentView = (leased: Leased): Task => {
  const task = publicTask(leased)
  return {
    ...task,
    // A copy: agents may change what they get.
    labels: [...task.labels],
    ...(task.metadata ? { metadata: structuredClone(task.metadata) } : {}),
  }
}
