import { openSqs } from '../../../lib/adapters/aws/clients.ts'
import { createQueues } from '../../../lib/adapters/aws/sqs/create-queues.ts'
import { createSqsQueue } from '../../../lib/adapters/aws/sqs/queue.ts'
import { createSqsBatchHandler } from '../../../lib/adapters/aws/sqs/sqs-batch.ts'
import { createClock } from '../../../lib/adapters/node/clock.ts'
import { type RunTask, RunTaskSchema } from '../../../lib/tasks/schema.ts'
import { CREDENTIALS, REGION, startSqsAndS3 } from '../../../offline/emulators.ts'
import { startPoller } from '../../../offline/sqs-poller.ts'
import { watchRequests } from '../../adapters/sqs/requests.ts'
import { createFakeLog } from '../../fakes/log.ts'
import { until } from '../../fakes/until.ts'

const TASKS = 200

/** Requests to SQS for each task, `sends` of them by who creates it, received so many at a time. */
export const countRequests = async (batchSize: number): Promise<{ sends: number; source: number }> => {
  const emulator = await startSqsAndS3()
  const client = openSqs({ region: REGION, endpoint: emulator.endpoint, credentials: CREDENTIALS })
  const definition = { name: 'bench', visibilityTimeout: 60, messageRetention: 3_600 }
  const { bench: url = '' } = await createQueues(client, [definition])
  const seen = watchRequests(client)
  const clock = createClock()
  const log = createFakeLog()
  let handled = 0
  const handler = createSqsBatchHandler<RunTask>({
    parse: RunTaskSchema,
    handle: async () => {
      handled += 1
    },
    onPoison: async () => undefined,
    clock,
    log,
  })
  const queue = createSqsQueue<RunTask>({ client, urls: { normal: url }, clock })
  const message = (n: number) => ({ body: { taskId: `task_${n}`, attempt: 1 }, priority: 3 as const })
  // One after the other, as creates are that come to functions of their own.
  for (let n = 0; n < TASKS; n += 1) await queue.send([message(n)])
  const sends = seen.length
  const poller = startPoller({ client, queueUrl: url, batchSize, handler, log, concurrency: 1 })
  await until(() => handled >= TASKS)
  await poller.stop()
  client.destroy()
  await emulator.stop()
  return { sends: sends / TASKS, source: (seen.length - sends) / TASKS }
}
