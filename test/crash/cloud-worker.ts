import { openSqs } from '../../lib/adapters/aws/clients.ts'
import { createLog } from '../../lib/adapters/node/log.ts'
import { readConfig } from '../../lib/config/config.ts'
import { createMasker } from '../../lib/core/masker.ts'
import { startPoller } from '../../offline/sqs-poller.ts'

/** What a worker of the cloud is here: the worker function, fed from both task queues, in a process that can be killed. */
const main = async () => {
  const { handler } = await import('../../functions/worker.ts')
  const config = readConfig()
  const log = createLog({ level: config.LOG_LEVEL, masker: createMasker(config.secrets) })
  const { AWS_REGION: region, SQS_ENDPOINT: endpoint, QUEUE_CONCURRENCY: concurrency } = config
  const client = openSqs({ region, endpoint })
  // Opens the function, which the first event would do.
  await handler({ Records: [] }, { getRemainingTimeInMillis: () => 60_000 })
  const source = { client, batchSize: 1, handler, timeoutMs: 60_000, log }
  startPoller({ ...source, queueUrl: config.TASK_URGENT_QUEUE_URL ?? '', concurrency: 1 })
  startPoller({ ...source, queueUrl: config.TASK_QUEUE_URL ?? '', concurrency })
  process.stdout.write('ready\n')
}

await main()
