import { tmpdir } from 'node:os'
import * as path from 'node:path'
import { openSsm, readSecrets } from '../adapters/aws/secrets.ts'
import type { InvocationContext, SqsEvent } from '../adapters/aws/sqs/event.ts'
import { createSqsBatchHandler } from '../adapters/aws/sqs/sqs-batch.ts'
import { badSetting, type Config, readConfig, readConfigWith } from '../config.ts'
import { createDomains } from '../domains.ts'
import { poisonText } from '../queue/poison.ts'
import { type RunTask, RunTaskSchema } from '../tasks/schema.ts'
import { every } from '../worker/beat.ts'
import { openAgents } from './agents.ts'
import { openCloudPorts } from './cloud.ts'

/** A cancel in another function is seen by the run within this span, and what it runs is gone a second later. */
const WATCH_MS = 500
/** What is left of an invocation when its runs are stopped: for the agents' grace, and to write what came of them. */
const GIVE_BACK_MS = 15_000
/** The longest run of an agent in a function, which has 15 minutes in all. */
const LONGEST_RUN_MS = 840_000

/** The settings, and with them those that are kept as encrypted parameters, where the deployment names a place of them. */
const withSecrets = async (given: Config): Promise<Config> =>
  given.SECRETS_PATH === undefined
    ? given
    : readConfigWith(await readSecrets(openSsm(given.AWS_REGION), given.SECRETS_PATH))

/** The worker of task messages as it lives in a function: the agents, and what goes on around their runs. */
export const openWorker = async () => {
  const config = await withSecrets(readConfig())
  if (config.POOL_TIMEOUT_MS > LONGEST_RUN_MS)
    throw badSetting(`POOL_TIMEOUT_MS: a function runs for 15 minutes; at most ${LONGEST_RUN_MS} in mode pro`)
  const outside = openCloudPorts(config)
  const workspacesDir = config.WORKSPACES_DIR ?? path.join(tmpdir(), 'workspaces')
  const { adapters } = await openAgents({ ...outside, config, workspacesDir })
  const { active, worker, deadLetters } = createDomains({ ...outside, adapters }, config)

  /** Runs `work` with heartbeat, watch and an end before the invocation's own; `remainingMs` is what that has left. */
  const during = async <T>(remainingMs: number, work: () => Promise<T>): Promise<T> => {
    // Timers of the clock keep no process alive, and a run may be nothing but a promise.
    const awake = setInterval(() => undefined, 1_000)
    const cancel = outside.clock.after(Math.max(0, remainingMs - GIVE_BACK_MS), () =>
      active.stopNow('shutdown'),
    )
    const jobs = [
      every(outside, 'heartbeat', config.TASK_LEASE_MS / 3, active.beat),
      every(outside, 'watch', WATCH_MS, active.check),
    ]
    try {
      return await work()
    } finally {
      await worker.settled()
      cancel()
      await Promise.all(jobs.map((end) => end()))
      clearInterval(awake)
    }
  }

  const batch = createSqsBatchHandler<RunTask>({
    ...outside,
    parse: RunTaskSchema,
    handle: ({ body }) => worker.run(body),
    onPoison: (reason, raw) => deadLetters.addMessage('unknown', poisonText(reason, raw)),
  })

  return (event: SqsEvent, context: InvocationContext) =>
    during(context.getRemainingTimeInMillis(), () => batch(event, context))
}
