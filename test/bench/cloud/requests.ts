import { createSqsClient } from '../../../lib/adapters/aws/sqs/client.ts'
import { createQueues } from '../../../lib/adapters/aws/sqs/create-queues.ts'
import { createSqsQueue } from '../../../lib/adapters/aws/sqs/queue.ts'
import { createSqsBatchHandler } from '../../../lib/adapters/aws/sqs/sqs-batch.ts'
import { createClock } from '../../../lib/adapters/node/clock.ts'
import { type RunTask, RunTaskSchema } from '../../../lib/tasks/schema.ts'
import { CREDENTIALS, REGION, startSqsAndS3 } from '../../../offline/emulators.ts'
import { startPoller } from '../../../offline/sqs-poller.ts'
import { watchRequests } from '../../adapters/sqs/requests.ts'
import { until } from '../../adapters/sqs/until.ts'
import { createFakeLog } from '../../fakes/log.ts'
import { atMost, type Row } from '../row.ts'

const TASKS = 200

/** Requests to SQS for each task: received ten at a time, and one at a time as serverless.yml has the worker. */
export const requests = async (): Promise<Row[]> => [
  await requestsOf('SQS requests a task, ten to a batch', 10),
  await requestsOf('SQS requests a task, as deployed', 1),
]

const requestsOf = async (measure: string, batchSize: number): Promise<Row> => {
  const emulator = await startSqsAndS3()
  const client = createSqsClient({ region: REGION, endpoint: emulator.endpoint, credentials: CREDENTIALS })
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
  await Promise.all(Array.from({ length: TASKS }, (_, n) => queue.send([message(n)])))
  const poller = startPoller({ client, queueUrl: url, batchSize, handler, log, concurrency: 1 })
  await until(() => handled >= TASKS)
  await poller.stop()
  client.destroy()
  await emulator.stop()
  return atMost(1, { measure, unit: '', ours: seen.length / TASKS, against: 5, opponent: 'limit' })
}
