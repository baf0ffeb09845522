import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { createWorkerFunction } from '../../lib/app/cloud-worker.ts'
import { hasDynoxide } from '../../offline/emulators.ts'
import { sqsRecord } from '../../offline/sqs-event.ts'
import { httpEvent } from '../fakes/http-event.ts'
import { startCloud } from './cloud.ts'

if (!hasDynoxide()) process.stderr.write('SKIPPED: this emulator of DynamoDB knows no transactions\n')

const CONTEXT = { getRemainingTimeInMillis: () => 60_000 }

let cloud: Awaited<ReturnType<typeof startCloud>>
let stop: () => unknown

const load = async (name: string) => (await import(`../../functions/${name}.ts`)).handler
const ask = async (name: string, request: string, body?: unknown) => {
  const { statusCode, body: text } = await (await load(name))(httpEvent(request, body), CONTEXT)
  return { statusCode, body: JSON.parse(text) }
}
const records = (body: object) => ({
  Records: [
    sqsRecord(
      { MessageId: 'm', ReceiptHandle: 'none', Body: JSON.stringify(body) },
      'arn:aws:sqs:us-east-1:0:q',
    ),
  ],
})

const suite = hasDynoxide() ? describe : describe.skip
suite('a module of agents that throws', () => {
  beforeAll(async () => {
    cloud = await startCloud()
    const environment = await cloud.openEnvironment()
    stop = environment.stop
    const AGENT_ADAPTERS = 'test/fixtures/agents/throwing.ts'
    Object.assign(process.env, environment.env, { AUTH_MODE: 'local', LOG_LEVEL: 'silent', AGENT_ADAPTERS })
  })
  afterAll(async () => {
    stop?.()
    await cloud?.stop()
  })

  it.each([
    ['bulk', 'GET /api/bulk'],
    ['chat', 'GET /api/chat/conversations'],
    ['gateway', 'GET /api/tokens'],
    ['health', 'GET /api/health/ready'],
    ['integrations', 'GET /api/integrations/web-search'],
    ['memory', 'GET /api/memory/files'],
    ['notifications', 'GET /api/notifications'],
    ['outbound', 'GET /api/webhooks'],
    ['queue', 'GET /api/queue/status'],
    ['schedules', 'GET /api/schedules'],
    ['security', 'GET /api/security/policy'],
    ['tasks', 'GET /api/tasks'],
    ['webhooks', 'GET /api/integrations/webhooks/status'],
  ])('leaves %s working, which needs no agent', async (name, request) => {
    expect(await ask(name, request)).toMatchObject({ statusCode: 200 })
  })

  it('leaves tasks for the default agent, notices and the tick working', async () => {
    expect(await ask('tasks', 'POST /api/tasks', { title: 'Task' })).toMatchObject({ statusCode: 201 })
    const notice = { kind: 'ended', taskId: 'task_none' }
    expect(await (await load('notify'))(records({ body: notice, priority: 3 }), CONTEXT)).toEqual({
      batchItemFailures: [],
    })
    await expect((await load('tick'))({}, CONTEXT)).resolves.toBeUndefined()
  })

  it('is unhealthy, and fails what asks for the agents without telling the caller why', async () => {
    const { body } = await ask('health', 'GET /api/health/detailed')
    expect(body).toMatchObject({ status: 'unhealthy', components: { adapters: { status: 'unhealthy' } } })
    for (const answer of [
      await ask('agents', 'GET /api/agents'),
      await ask('tasks', 'POST /api/tasks', { title: 'Task', assignedAgent: 'throwing' }),
    ]) {
      expect(answer).toMatchObject({ statusCode: 500, body: { code: 'internal_error' } })
      expect(JSON.stringify(answer)).not.toContain('AGENT_ADAPTERS')
    }
  })

  it('keeps the worker from opening', async () => {
    const message = records({ body: { taskId: 'task_none', attempt: 1 }, priority: 3 })
    await expect(createWorkerFunction()(message, CONTEXT)).rejects.toThrow('AGENT_ADAPTERS')
  })
})
