import { messageOf } from '../core/errors.ts'
import type { AgentAdapter } from '../ports/agent.ts'
import type { RunTask } from '../tasks/schema.ts'
import type { ActiveRuns } from './active.ts'
import { claimInTime } from './early.ts'
import { createEnding } from './ending.ts'
import { createHolding, type Held } from './held.ts'
import type { Pool } from './pool.ts'
import { createRunner, type Ended } from './run.ts'
import type { Claim, Claimed } from './run-writes.ts'

type Needs = Parameters<typeof createEnding>[0] & {
  active: ActiveRuns
  agent: (type: string) => AgentAdapter | undefined
  pool: Pool
  /** Whether a run may begin before its claim is durable: not when the last process died over one. */
  mayRunAhead: () => boolean
  /** Gives the message of a claim that came to nothing back to the queue. */
  sendAgain: (task: Claimed) => Promise<unknown>
}

/** Ends of runs that may wait to be written at once; past them a slot waits for its own. */
const MOST_ENDING = 256

/**
 * Runs the tasks that messages name: claims, runs the agent, writes what came of it. A slot is for running agents: it
 * is free for the next task while the end of the last one is still being written.
 */
export const createWorker = (needs: Needs) => {
  const { runs, pool, log, active } = needs
  const hold = createHolding(needs)
  const execute = createRunner(needs)
  const end = createEnding(needs)
  const claimNow = claimInTime(runs.claim, needs.clock)
  let ending = 0
  const idle: (() => void)[] = []

  const runClaimed = async ({ task, durable }: Claim): Promise<void> => {
    // The task is held until its end is written: the heartbeat renews the lease, and no tick takes it.
    const held = hold(task)
    let isVoid = false
    const settled = durable.catch(() => {
      isVoid = true
      active.stop(task.id, 'lost')
      return giveBack(task)
    })
    const ended = await runAgent(held)
    const written = writeEnd(held, settled, () => end(task, ended, () => isVoid))
    if (ending > MOST_ENDING) await written
  }

  /** Sends the message of a claim that came to nothing once more. */
  const giveBack = (task: Claimed) =>
    needs
      .sendAgain(task)
      .then(undefined, (thrown) =>
        log.error({ taskId: task.id, reason: messageOf(thrown) }, 'a task was not queued again'),
      )

  const writeEnd = async (held: Held, settled: Promise<unknown>, write: () => Promise<unknown>) => {
    ending += 1
    try {
      await write()
    } catch (thrown) {
      // Nothing is lost: the lease runs out, and the next tick takes the task up again.
      log.error({ taskId: held.taskId, reason: messageOf(thrown) }, 'the end of a run was not written')
    }
    await settled
    active.remove(held)
    ending -= 1
    if (ending === 0) for (const wake of idle.splice(0)) wake()
  }

  const runAgent = (held: Held): Promise<Ended> => {
    const { task } = held
    const agent = needs.agent(task.agent)
    return agent ? execute(held, agentView(task), agent) : Promise.resolve(unavailable(task.agent))
  }

  return {
    /**
     * Resolves when the slot is free again, also when there was nothing to do; rejects when the claim could not be
     * written, so that the queue brings the message again.
     */
    run: async (message: RunTask): Promise<void> => {
      // Room first, claim second: a claimed task that waits for room would hold a lease and do nothing.
      const room = pool.acquire()
      if (room) await room
      try {
        active.refuseIfStopped()
        const claim = await (needs.mayRunAhead() ? runs.claimAhead(message) : claimNow(message))
        if (claim) await runClaimed(claim)
      } finally {
        pool.release()
      }
    },
    /** Resolves when the ends of all runs so far are written. */
    settled: (): Promise<void> =>
      ending === 0 ? Promise.resolve() : new Promise((resolve) => idle.push(resolve)),
  }
}

const unavailable = (type: string): Ended => {
  const message = `No agent of type ${type} is registered here; set AGENT_ADAPTERS or choose another`
  return { kind: 'failed', error: { code: 'agent_unavailable', message }, retryable: false }
}

/** The public task; who holds it is nobody's business but ours. */
const agentView = ({ fence: _fence, leaseExpiresAt: _lease, ...task }: Claimed) => ({
  ...task,
  // An agent is free to change what it is given; what is stored stays as it is.
  labels: [...task.labels],
  ...(task.metadata ? { metadata: structuredClone(task.metadata) } : {}),
})
