import * as z from 'zod'
import { openSqs } from '../adapters/aws/clients.ts'
import {
  createRedelivery,
  createSqsBatchHandler,
  type InvocationContext,
  redeliveryMs,
  type SqsBatchResponse,
  type SqsEvent,
  type SqsRecord,
} from '../adapters/aws/sqs/sqs-batch.ts'
import { createClock } from '../adapters/node/clock.ts'
import { withinInvocation } from '../adapters/node/log.ts'
import { type TurnMessage, TurnMessageSchema } from '../approvals/schema.ts'
import { type Config, readSome } from '../config/config.ts'
import { badSetting } from '../core/bad-setting.ts'
import { taskOfWorkspace } from '../ports/workspace.ts'
import { poisonLetter } from '../queue/dead-letters.ts'
import { type RunTask, RunTaskSchema } from '../tasks/schema.ts'
import type { StopReason } from '../worker/active.ts'
import { every } from '../worker/beat.ts'
import { LONGEST_ATTEMPT_IN_FUNCTION_MS, openCloud, withoutAccounts } from './cloud.ts'
import { openContainerHost, sweepDisk } from './cloud-container.ts'
import { refreshModelKeys, refreshSettings } from './cloud-jobs.ts'
import type { CloudPorts } from './cloud-ports.ts'
import { openedWithSecrets } from './cloud-secrets.ts'
import { warnOfShortSecrets } from './start-up.ts'

/** A run learns of a cancel in another function within this time, and its programs end a second later. */
const WATCH_MS = 500
/** The remaining time of an invocation at which its runs are stopped, for the grace period and the last writes. */
const GIVE_BACK_MS = 15_000
/** How long the end of an invocation waits for a collector of traces; its messages are handled by then. */
const LAST_SPANS_MS = 1_000
/** The first wait of a message that found no worker: ten of them outlast 25 minutes. */
const UNOPENED_MS = 15_000

/** The messages of the worker's queue: attempts of tasks, and turns that continue after an approval. */
const WorkSchema = z.union([TurnMessageSchema, RunTaskSchema])

/** The worker of run messages in a function: the agents, and the work around their runs. */
export const openWorker = async (config: Config) => {
  if (config.POOL_TIMEOUT_MS > LONGEST_ATTEMPT_IN_FUNCTION_MS)
    throw badSetting(
      `POOL_TIMEOUT_MS: must be at most ${LONGEST_ATTEMPT_IN_FUNCTION_MS} in mode pro, where functions run for 15 minutes`,
    )
  // A turn that continues here gets its ticket from the ticket's task.
  const openHost = (known: Config, ports: CloudPorts) => openContainerHost(known, ports, true)
  const cloud = await openCloud(config, { openHost, access: withoutAccounts })
  // Without its agents it takes no message.
  await cloud.agents.types()
  const { active, worker, deadLetters, continueTurn, snapshots, toolCalls, ports } = cloud
  warnOfShortSecrets(config, ports.log)

  /** Invocations share the disk: in sequence as deployed, concurrently in `npm run offline`. */
  const sweep = () =>
    sweepDisk(config, ports, (name) => active.hasThread(taskOfWorkspace(name)) || snapshots.isInUse(name))

  let jobs: (() => Promise<void>)[] = []
  let invocations = 0
  /** One heartbeat and one watch serve all runs of the process, however many invocations run at once. */
  const begin = () => {
    invocations += 1
    if (invocations > 1) return
    jobs = [
      every(ports, 'heartbeat', config.TASK_LEASE_MS / 3, active.beat),
      every(ports, 'watch', WATCH_MS, active.check),
    ]
  }
  const end = async () => {
    invocations -= 1
    if (invocations === 0) await Promise.all(jobs.map((stop) => stop()))
  }

  /** Runs `work` with heartbeat and watch, and ends it before the invocation, which has `remainingMs`. */
  const during = async <T>(remainingMs: number, work: () => Promise<T>): Promise<T> => {
    // Timers of the clock keep no process alive, and a run may be only a promise.
    const awake = setInterval(() => undefined, 1_000)
    const cancel = ports.clock.after(Math.max(0, remainingMs - GIVE_BACK_MS), () =>
      active.stopNow('shutdown'),
    )
    begin()
    try {
      return await work()
    } finally {
      await worker.settled()
      await toolCalls.settled()
      await sweep()
      await ports.tracing.flush(LAST_SPANS_MS)
      cancel()
      await end()
      clearInterval(awake)
    }
  }

  const batch = createSqsBatchHandler<RunTask | TurnMessage>({
    ...ports,
    within: withinInvocation,
    parse: WorkSchema,
    handle: ({ body }) => ('attempt' in body ? worker.run(body) : continueTurn(body)),
    onPoison: (poison) => deadLetters.addMessage(poisonLetter(poison)),
  })

  const handle = (event: SqsEvent, context: InvocationContext) =>
    during(context.getRemainingTimeInMillis(), async () => {
      await Promise.all([refreshSettings(cloud), refreshModelKeys(cloud)])
      return batch(event, context)
    })
  return Object.assign(handle, { stop: active.stopAll })
}

/**
 * The worker function, opened by its first event. After a failure its messages come again soon, and the invocation
 * fails, which raises the alarm on errors. After a change of secrets it is opened again while it runs nothing:
 * heartbeats and stops belong to one worker.
 */
export const createWorkerFunction = () => {
  let inUse: Promise<Awaited<ReturnType<typeof openWorker>> | undefined> | undefined
  let invocations = 0
  // The asking invocation is counted too.
  const opened = openedWithSecrets(openWorker, { isBusy: () => invocations > 1 })
  const open = async (event: SqsEvent) => {
    try {
      return await opened()
    } catch (thrown) {
      // `thrown` names the cause of this failure too, or the queue cannot be reached.
      await bringBack(event).catch(() => undefined)
      throw thrown
    }
  }
  const handle = async (event: SqsEvent, context: InvocationContext): Promise<SqsBatchResponse> => {
    invocations += 1
    try {
      const opening = open(event)
      inUse = opening.catch(() => undefined)
      return await (await opening)(event, context)
    } finally {
      invocations -= 1
    }
  }
  /** Stops every run, also those that are about to start, before the function's process ends. */
  const stop = async (reason: StopReason): Promise<void> => (await inUse)?.stop(reason)
  return Object.assign(handle, { stop })
}

/** Reads only the settings that it needs: an invalid one may be why the messages are not handled. */
const bringBack = async ({ Records }: SqsEvent): Promise<void> => {
  const place = readSome(['AWS_REGION', 'SQS_ENDPOINT', 'TASK_QUEUE_URL'])
  const { AWS_REGION: region, SQS_ENDPOINT: endpoint, TASK_QUEUE_URL: anyUrl = '' } = place
  const redeliverIn = createRedelivery({
    client: openSqs({ region, endpoint }),
    anyUrl,
    clock: createClock(),
  })
  const receives = ({ attributes }: SqsRecord) => Number(attributes.ApproximateReceiveCount)
  await Promise.allSettled(
    Records.map((record) => redeliverIn(record, redeliveryMs(receives(record), UNOPENED_MS))),
  )
}
