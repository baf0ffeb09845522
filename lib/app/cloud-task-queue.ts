import type { openSqs } from '../adapters/aws/clients.ts'
import { createSqsQueue } from '../adapters/aws/sqs/queue.ts'
import type { Config } from '../config/config.ts'
import { errorMessage } from '../core/errors.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Outgoing, Queue } from '../ports/queue.ts'
import type { Asked } from '../runners/offers.ts'
import type { RunTask } from '../tasks/schema.ts'
import { describeAgents, programsElsewhere } from './cloud-agents.ts'
import { required } from './required.ts'

type Needs = { client: ReturnType<typeof openSqs>; clock: Clock; log: Pick<Log, 'warn'> }

export const runnerUrls = (config: Config) => ({
  urgent: required(config, 'RUNNER_URGENT_QUEUE_URL'),
  normal: required(config, 'RUNNER_QUEUE_URL'),
})

/**
 * Whether the tasks of a message are left to runners: those that ask for labels, and those of agents that the container of
 * the worker does not have, as programs. Without runners it has all.
 */
export const createLeftToRunners = (config: Config, log: Pick<Log, 'warn'>) => {
  const programs = new Set(programsElsewhere(config).map(({ type }) => type))
  const adapters = describeAgents(config)
  const ownTypes = async (): Promise<ReadonlySet<string>> =>
    new Set((await adapters()).map(({ type }) => type).filter((type) => !programs.has(type)))

  return async (): Promise<(asked: Asked) => boolean> => {
    if (config.RUNNERS === 'off') return () => false
    if (config.WORKER === 'off') return () => true
    const asksForLabels = ({ runsOn = [] }: Asked) => runsOn.length > 0
    try {
      const own = await ownTypes()
      return (asked) => asksForLabels(asked) || (asked.agent !== undefined && !own.has(asked.agent))
    } catch (thrown) {
      // The worker, which cannot open these agents either, says why with each task.
      log.warn({ reason: errorMessage(thrown) }, 'the agents of the worker are not known')
      return (asked) => asksForLabels(asked) || programs.has(asked.agent ?? '')
    }
  }
}

/** The queue of run messages: what is left to runners goes to queues of theirs, all else to those of the worker. */
export const openTaskQueue = (config: Config, { client, clock, log }: Needs): Queue<RunTask> => {
  const open = (urls: { normal: string; urgent: string }) => createSqsQueue<RunTask>({ client, urls, clock })
  const worker = open({
    urgent: required(config, 'TASK_URGENT_QUEUE_URL'),
    normal: required(config, 'TASK_QUEUE_URL'),
  })
  if (config.RUNNERS === 'off') return worker
  const runners = open(runnerUrls(config))
  const leftToRunners = createLeftToRunners(config, log)
  return {
    longestDelayMs: worker.longestDelayMs,
    send: async (messages) => {
      const isLeft = await leftToRunners()
      const queueFor = ({ body }: Outgoing<RunTask>) => (isLeft(body) ? runners : worker)
      const sent = [...Map.groupBy(messages, queueFor)].map(([queue, some]) => queue.send(some))
      // All sends have ended before the call resolves, so nothing continues in a frozen function.
      const failed = (await Promise.allSettled(sent)).find(({ status }) => status === 'rejected')
      if (failed?.status === 'rejected') throw failed.reason
    },
  }
}
