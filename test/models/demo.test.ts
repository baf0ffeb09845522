import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { DISCLAIMER } from '../../lib/adapters/models/demo/script.ts'
import { type DemoModel, startDemoModel } from '../../lib/adapters/models/demo/server.ts'
import { createModels } from '../../lib/adapters/models/models.ts'
import { createClock } from '../../lib/adapters/node/clock.ts'
import type { ModelMessage, Models, ToolSpec } from '../../lib/ports/model.ts'
import { answer, ask, failure, tool } from '../fakes/model-steps.ts'

const toolbox = ['list_files', 'read_file', 'write_file', 'run_command'].map(tool)
let demo: DemoModel
let models: Models
beforeAll(async () => {
  demo = await startDemoModel()
  models = createModels({ settings: { providers: {}, demo, retries: 0 }, clock: createClock() })
})
afterAll(() => demo.close())

/** Runs the conversation to its end, each tool answering `<name> done`. */
const converse = async (prompt: string, tools: ToolSpec[]) => {
  const messages: ModelMessage[] = [{ role: 'user', content: prompt }]
  const steps: Awaited<ReturnType<typeof answer>>[] = []
  for (;;) {
    const step = await answer(models, ask('', { messages, tools }))
    steps.push(step)
    const { message } = step.finish
    if (!message.toolCalls) return steps
    messages.push(message)
    for (const { id: callId, name } of message.toolCalls)
      messages.push({ role: 'tool', callId, name, content: `${name} done`, failed: false })
  }
}
const toolCalls = (steps: Awaited<ReturnType<typeof converse>>) =>
  steps
    .flatMap(({ finish }) => finish.message.toolCalls ?? [])
    .map(({ name, arguments: given }) => [name, given])

describe('the demo model', () => {
  it('looks, writes a note of the task, reads it, and sums up', async () => {
    const steps = await converse('# Fix the login\n\nIt fails on Mondays.', toolbox)
    expect(toolCalls(steps)).toEqual([
      ['list_files', {}],
      ['write_file', { path: 'demo-notes.md', content: expect.stringContaining('> It fails on Mondays.') }],
      ['read_file', { path: 'demo-notes.md' }],
    ])
    const ids = steps.flatMap(({ finish }) => finish.message.toolCalls ?? []).map(({ id }) => id)
    expect(new Set(ids).size).toBe(3)
    expect(steps.at(-1)?.text).toBe(
      `${DISCLAIMER} For “Fix the login” it called these tools, which answered:
- list_files: list_files done
- write_file demo-notes.md: write_file done
- read_file demo-notes.md: read_file done`,
    )
  })

  it('says in every answer that it is not an AI', async () => {
    const steps = [...(await converse('Task', toolbox)), ...(await converse('Hi\ndemo: say Bye', []))]
    for (const { text } of steps) expect(text).toMatch(/^This is the scripted demo model, not an AI\./)
  })

  it('says and does the same in the same conversation', async () => {
    expect(await converse('Task', toolbox)).toEqual(await converse('Task', toolbox))
  })

  it('calls only tools that it is offered', async () => {
    expect(toolCalls(await converse('Task', [tool('read_file')]))).toEqual([
      ['read_file', { path: 'demo-notes.md' }],
    ])
  })

  it('without tools quotes the request, and counts four characters as a token', async () => {
    const { text, finish } = await answer(models, ask('What is up?'))
    expect(text).toContain('“What is up?”')
    expect(finish.usage.completionTokens).toBe(Math.ceil(text.length / 4))
    expect(finish.usage.promptTokens).toBeGreaterThan(0)
  })

  it('obeys the orders of a prompt one per step', async () => {
    const prompt =
      'Hi\ndemo: tool write_file {"path":"a b.txt","content":"hi"}\ndemo: tool run_command {oops\ndemo: say Done!'
    const steps = await converse(prompt, toolbox)
    expect(toolCalls(steps)).toEqual([
      ['write_file', { path: 'a b.txt', content: 'hi' }],
      ['run_command', '{oops'],
    ])
    expect(steps.at(-1)?.text).toBe(`${DISCLAIMER} Done!`)
  })

  it('obeys the last prompt, not those before it', async () => {
    const messages: ModelMessage[] = [
      { role: 'user', content: 'demo: say old' },
      { role: 'assistant', content: 'old' },
      { role: 'user', content: 'new' },
    ]
    expect((await answer(models, ask('', { messages }))).text).toContain('“new”')
  })

  it('thinks aloud when told to', async () => {
    expect((await answer(models, ask('demo: think Hm.\ndemo: say Yes'))).reasoning).toBe('Hm.')
  })

  it.each([
    ['demo: fail', { code: 'provider_error', details: { provider: 'demo', reason: 'status', status: 500 } }],
    ['demo: fail 429', { kind: 'rate_limited' }],
    ['demo: cut', { code: 'provider_error', details: { provider: 'demo', reason: 'transport' } }],
  ])('fails by "%s"', async (prompt, problem) => {
    expect((await failure(models, ask(prompt))).thrown).toMatchObject(problem)
  })

  it('shows a part of the answer that it cuts', async () => {
    expect((await failure(models, ask('demo: cut'))).before).toContainEqual({ type: 'text', text: 'The' })
  })

  it('answers slowly when told to, and stops when its client leaves', async () => {
    const stop = new AbortController()
    const stream = models.step(ask('demo: slow 600000', { signal: stop.signal }))[Symbol.asyncIterator]()
    const first = stream.next()
    first.catch(() => undefined)
    await new Promise((resolve) => setTimeout(resolve, 50))
    stop.abort(new Error('Gone'))
    await expect(first).rejects.toThrow('Gone')
    expect((await answer(models, ask('demo: slow 20\ndemo: say Late'))).text).toContain('Late')
  })
})

describe('the wire of the demo model', () => {
  const post = (body: unknown) =>
    fetch(`${demo.baseUrl}/chat/completions`, { method: 'POST', body: JSON.stringify(body) })

  it.each([[{}], [{ messages: [null] }], ['text'], [null]])('refuses %j', async (body) => {
    expect((await post(body)).status).toBe(400)
  })

  it('has no other pages', async () => {
    expect((await fetch(`${demo.baseUrl}/embeddings`)).status).toBe(404)
    expect(await (await fetch(`${demo.baseUrl}/models`)).json()).toMatchObject({ data: [{ id: 'demo' }] })
  })
})
