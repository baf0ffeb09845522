import { describe, expect, it } from '@jest/globals'
import { startCollector } from '../fakes/collector.ts'
import { chunk, DONE, events, startWire, status, usage } from '../fakes/model-wire.ts'
import { until } from './api.ts'
import { connect } from './client.ts'
import { moodyTask, moodyWorld } from './moody.ts'
import { isOffline, startService, temporaryFolder } from './service.ts'

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c'
const CALLER = 'b7ad6b7169203331'
const traceparent = `00-${TRACE_ID}-${CALLER}-01`
const PROMPT = 'A prompt that is nobody else’s business'
const SECRET = 'planted-9f27c1e08d4b5a63'

const calls = (name: string, input: object) => {
  const made = {
    index: 0,
    id: 'call_1',
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }
  return events(
    chunk({ role: 'assistant', tool_calls: [made] }),
    chunk({}, 'tool_calls'),
    usage(100, 10),
    DONE,
  )
}
const says = (content: string) =>
  events(chunk({ role: 'assistant', content }), chunk({}, 'stop'), usage(200, 5), DONE)

const create = async (baseUrl: string, body: object = { title: 'Find the answer', prompt: PROMPT }) => {
  const answer = await fetch(`${baseUrl}/api/tasks`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', traceparent },
    body: JSON.stringify(body),
  })
  const { task } = (await answer.json()) as { task: { id: string } }
  return { id: task.id, requestId: answer.headers.get('x-request-id') ?? '' }
}

const openWorld = async (more: Readonly<Record<string, string>> = {}) => {
  const folder = temporaryFolder()
  const wire = await startWire(
    calls('write_file', { path: 'answer.txt', content: '42\n' }),
    says('It is 42.'),
  )
  const receiver = await startWire(status(200, {}))
  const service = await startService({
    env: {
      DATA_DIR: folder.in('data'),
      OPENAI_API_KEY: 'key',
      OPENAI_BASE_URL: `${wire.origin}/v1`,
      OPENAI_MODEL: 'model-7',
      OUTBOUND_ALLOW_HOSTS: '127.0.0.1',
      ...more,
    },
  })
  const api = connect(service.baseUrl)
  return {
    wire,
    receiver,
    service,
    api,
    async [Symbol.asyncDispose]() {
      await service.kill9()
      await Promise.all([wire.close(), receiver.close()])
      folder[Symbol.dispose]()
    },
  }
}

describe('a task of a request with a traceparent', () => {
  it('is one trace at the collector: request, wait, attempt, model and tool calls, without their texts', async () => {
    const collector = await startCollector()
    try {
      await using world = await openWorld({
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${SECRET}`,
        LOG_LEVEL: 'info',
      })
      const { id, requestId } = await create(world.service.baseUrl)
      await world.api.untilTask(id, 'completed')
      const spans = await until(() => {
        const ofTask = collector.spans.filter(({ traceId }) => traceId === TRACE_ID)
        return ofTask.length >= 6 ? ofTask : undefined
      })
      const spanId = (name: string) => spans.find((span) => span.name === name)?.spanId
      const [request, attempt] = [spanId('POST /api/tasks'), spanId('invoke_agent coding-agent')]
      expect(
        spans.map(({ name, kind, parentSpanId, attributes }) => ({ name, kind, parentSpanId, attributes })),
      ).toEqual(
        expect.arrayContaining([
          {
            name: 'POST /api/tasks',
            kind: 2,
            parentSpanId: CALLER,
            attributes: {
              'http.request.method': 'POST',
              'http.request.id': requestId,
              'http.route': '/api/tasks',
              'http.response.status_code': 201,
              ...(isOffline ? { 'faas.invocation_id': expect.any(String) } : {}),
            },
          },
          {
            name: 'queue wait',
            kind: 5,
            parentSpanId: request,
            attributes: { 'task.id': id, 'task.attempt': 1 },
          },
          {
            name: 'invoke_agent coding-agent',
            kind: 1,
            parentSpanId: request,
            attributes: {
              'gen_ai.operation.name': 'invoke_agent',
              'gen_ai.agent.name': 'coding-agent',
              'task.id': id,
              'task.attempt': 1,
              'task.outcome': 'succeeded',
            },
          },
          {
            name: 'chat model-7',
            kind: 3,
            parentSpanId: attempt,
            attributes: expect.objectContaining({
              'gen_ai.operation.name': 'chat',
              'gen_ai.provider.name': 'openai',
              'gen_ai.request.model': 'model-7',
              'gen_ai.response.model': 'model-7',
              'gen_ai.usage.input_tokens': 100,
              'gen_ai.usage.output_tokens': 10,
              'gen_ai.response.finish_reasons': ['tool-calls'],
            }),
          },
          {
            name: 'execute_tool write_file',
            kind: 1,
            parentSpanId: attempt,
            attributes: expect.objectContaining({
              'gen_ai.operation.name': 'execute_tool',
              'gen_ai.tool.name': 'write_file',
              'gen_ai.tool.call.id': 'call_1',
            }),
          },
        ]),
      )
      expect(spans).toHaveLength(6)
      for (const { startTimeUnixNano: from, endTimeUnixNano: to } of spans)
        expect(BigInt(to) >= BigInt(from)).toBe(true)
      expect(collector.resource()).toMatchObject({ 'service.name': 'agent-task-service' })
      expect(collector.requests[0]).toMatchObject({
        path: '/v1/traces',
        headers: { authorization: `Bearer ${SECRET}`, 'content-type': 'application/json' },
      })
      const all = JSON.stringify(collector.requests.map(({ body }) => body))
      expect([all.includes(PROMPT), all.includes('answer.txt'), all.includes('It is 42')]).toEqual([
        false,
        false,
        false,
      ])
      const started = world.service
        .output()
        .split('\n')
        .find((line) => line.includes(`"taskId":"${id}"`) && line.includes('"to":"in_progress"'))
      const inFunction = { messageId: expect.any(String), awsRequestId: expect.any(String) }
      expect(JSON.parse(started ?? '{}')).toMatchObject({ requestId, ...(isOffline ? inFunction : {}) })
      // The model is asked in the name of the call's own span.
      const chats = spans.filter(({ name }) => name === 'chat model-7').map(({ spanId }) => spanId)
      expect(world.wire.heard.map(({ headers }) => headers.traceparent)).toEqual(
        expect.arrayContaining(chats.map((span) => `00-${TRACE_ID}-${span}-01`)),
      )
    } finally {
      await collector.close()
    }
  })

  it('has the wait of each attempt, and the backoff before it, in the order in which they were', async () => {
    const collector = await startCollector()
    try {
      using moody = moodyWorld({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, QUEUE_RETRY_BACKOFF_MS: '100' })
      await using service = await startService(moody)
      const { id } = await create(service.baseUrl, moodyTask('third time lucky', { failures: 2 }))
      await connect(service.baseUrl).untilTask(id, 'completed')
      const spans = await until(() => {
        const ofTask = collector.spans.filter(({ attributes }) => attributes['task.id'] === id)
        return ofTask.length >= 8 ? ofTask : undefined
      })
      const request = collector.spans.find(({ name }) => name === 'POST /api/tasks')?.spanId
      const told = (attempt: number) =>
        spans.filter(({ attributes }) => attributes['task.attempt'] === attempt).map(({ name }) => name)
      expect([1, 2, 3].map(told)).toEqual([
        ['queue wait', 'invoke_agent moody'],
        ['backoff', 'queue wait', 'invoke_agent moody'],
        ['backoff', 'queue wait', 'invoke_agent moody'],
      ])
      expect(new Set(spans.map(({ parentSpanId }) => parentSpanId))).toEqual(new Set([request]))
      const [backoffs, waits] = ['backoff', 'queue wait'].map((of) => spans.filter(({ name }) => name === of))
      expect(backoffs?.map(({ endTimeUnixNano }) => endTimeUnixNano)).toEqual(
        waits?.slice(1).map(({ startTimeUnixNano }) => startTimeUnixNano),
      )
      for (const { startTimeUnixNano: from, endTimeUnixNano: to } of spans)
        expect(BigInt(to) >= BigInt(from)).toBe(true)
    } finally {
      await collector.close()
    }
  })

  it('carries the id of its request to the model and to webhooks, without a collector as well', async () => {
    await using world = await openWorld()
    await world.api.client.createWebhook({
      body: { url: `${world.receiver.origin}/hook`, events: ['task.completed'] },
    })
    const { id, requestId } = await create(world.service.baseUrl)
    await world.api.untilTask(id, 'completed')
    const delivery = await until(() => world.receiver.heard[0])
    const carried = { 'x-request-id': requestId, traceparent }
    expect(world.wire.heard.map(({ headers }) => headers)).toEqual([
      expect.objectContaining(carried),
      expect.objectContaining(carried),
    ])
    expect(delivery.headers).toMatchObject(carried)
  })
})

if (isOffline)
  console.error('SKIPPED: each function of the stack has an exporter of its own, which warns for itself')
;(isOffline ? describe.skip : describe)('a collector', () => {
  it.each([
    ['refuses', 503],
    ['never answers', 'never'],
    ['is not there', undefined],
  ] as const)('that %s neither delays nor fails the task, and is warned of once', async (_what, answer) => {
    const collector = answer === undefined ? undefined : await startCollector(answer)
    try {
      await using world = await openWorld({
        OTEL_EXPORTER_OTLP_ENDPOINT: collector?.url ?? 'http://127.0.0.1:9',
        OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${SECRET}`,
      })
      const { id } = await create(world.service.baseUrl)
      await world.api.untilTask(id, 'completed')
      const warned = () =>
        world.service
          .output()
          .split('\n')
          .filter((line) => line.includes('traces are lost'))
      await until(() => (warned().length > 0 ? true : undefined))
      await world.api.untilTask((await create(world.service.baseUrl)).id, 'completed')
      await world.service.stop()
      expect(warned()).toHaveLength(1)
      expect(world.service.output()).not.toContain(SECRET)
    } finally {
      await collector?.close()
    }
  })
})
