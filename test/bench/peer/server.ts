import { type Job, Queue, Worker } from 'bullmq'
import Fastify from 'fastify'
import { Redis } from 'ioredis'
import { recordStarts } from '../starts.ts'
import { batched } from './batched.ts'
import { routes, taskView } from './schemas.ts'

const NAME = 'ai-tasks'
const { REDIS_SOCKET = '', PORT = '0', BENCH_STARTS_FILE } = process.env
if (BENCH_STARTS_FILE === undefined) throw new Error('BENCH_STARTS_FILE: set it to a file that is replaced')

// BullMQ refuses a consumer whose connection may give up. Auto-pipelining was tried: it adds no tasks/s and a
// quarter to dispatch.
const connect = () => new Redis({ path: REDIS_SOCKET, maxRetriesPerRequest: null })

const queue = new Queue(NAME, { connection: connect() })
const started = recordStarts(BENCH_STARTS_FILE)
const worker = new Worker(
  NAME,
  async (job: Job) => {
    started(String(job.id))
    return { success: true, output: 'done' }
  },
  { connection: connect(), concurrency: 10 },
)
worker.on('error', (error) => console.error(error))

// Strict priority is part of the contract, so the peer pays for it too (3 % of its tasks/s).
type Body = { title: string; prompt?: string; priority: number }
const add = batched((bodies: Body[]) =>
  queue.addBulk(bodies.map((data) => ({ name: 'run', data, opts: { priority: data.priority } }))),
)

const app = Fastify({ logger: false })
app.post('/api/tasks', { schema: routes.create }, async (request, reply) => {
  const job = await add(request.body as Body)
  reply.code(201)
  return { message: 'Task created', task: taskView(job) }
})
app.get('/api/tasks/:id', async (request, reply) => {
  const job: Job | undefined = await queue.getJob((request.params as { id: string }).id)
  if (job) return { task: taskView(job) }
  reply.code(404)
  return { error: 'Task not found', code: 'task_not_found' }
})
app.get('/api/queue/status', async () => {
  const { completed, failed } = await queue.getJobCounts('completed', 'failed')
  return { queues: { tasks: { completed, failed } } }
})
app.get('/api/health/ready', async () => ({ status: 'ready' }))

await Promise.all([queue.waitUntilReady(), worker.waitUntilReady()])
await app.listen({ host: '127.0.0.1', port: Number(PORT) })
