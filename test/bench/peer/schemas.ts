import type { Job } from 'bullmq'

const text = (maxLength: number) => ({ type: 'string', maxLength })
const priority = { type: 'integer', minimum: 1, maximum: 4, default: 3 }

const body = {
  type: 'object',
  required: ['title'],
  additionalProperties: false,
  properties: {
    title: { type: 'string', minLength: 1, maxLength: 500 },
    description: text(100_000),
    prompt: text(100_000),
    priority,
    source: { type: 'string', enum: ['codehost', 'trackera', 'trackerb', 'api', 'cron'], default: 'api' },
    sourceId: text(500),
    repository: text(500),
    branch: text(500),
    labels: { type: 'array', maxItems: 50, items: text(100) },
    assignedAgent: text(100),
  },
}

const task = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    title: { type: 'string' },
    prompt: { type: 'string' },
    priority,
    status: { type: 'string' },
    createdAt: { type: 'string' },
    completedAt: { type: 'string' },
  },
}

/** A declared answer lets Fastify compile its serializer, the fastest it has. */
const answer = { type: 'object', properties: { message: { type: 'string' }, task } }

export const routes = {
  create: { body, response: { 201: answer } },
}

const jobStatus = (job: Job): string => {
  if (job.finishedOn) return job.failedReason ? 'failed' : 'completed'
  return job.processedOn ? 'in_progress' : 'queued'
}

/** A job as the service would show it. The state is read from the job's own fields, so one read of Redis serves GET. */
export const taskView = (job: Job) => ({
  id: String(job.id),
  ...job.data,
  status: jobStatus(job),
  createdAt: new Date(job.timestamp).toISOString(),
  ...(job.finishedOn ? { completedAt: new Date(job.finishedOn).toISOString() } : {}),
})
