import { describe, expect, it } from '@jest/globals'
import { createFakeAgent, HOLD } from '../fakes/agent.ts'
import { ANN, turns } from '../fakes/service.ts'
import { type StartedInbound, startInbound } from './inbound.ts'
import * as github from './payloads/codehost.ts'

const label = (inbound: StartedInbound) =>
  inbound.deliver('codehost', github.issueLabeled('ai-task'), { event: 'issues' })
const order = (inbound: StartedInbound, text: string) =>
  inbound.deliver('codehost', github.commentCreated(`/ai ${text}`), { event: 'issue_comment' })
const THERE = 'A task for this already exists'

describe('an issue whose task has ended', () => {
  it('and was retried has that as its task', async () => {
    await using inbound = await startInbound()
    const { id } = (await label(inbound)).body.task
    await inbound.tasks.cancel(ANN, id)
    const retried = (await inbound.call(`POST /api/tasks/${id}/retry`)).body.task
    expect(retried.retriedFrom).toBe(id)
    expect((await order(inbound, 'hurry')).body).toMatchObject({ message: THERE, task: { id: retried.id } })

    await inbound.tasks.cancel(ANN, retried.id)
    const again = (await inbound.call(`POST /api/tasks/${retried.id}/retry`)).body.task
    const answers = await Promise.all(['a', 'b', 'c'].map((text) => order(inbound, text)))
    expect(answers.map(({ body }) => body.task.id)).toEqual(Array(3).fill(again.id))
    expect(await inbound.total()).toBe(3)

    await inbound.tasks.cancel(ANN, again.id)
    const own = await Promise.all(['d', 'e', 'f'].map((text) => order(inbound, text)))
    expect(new Set(own.map(({ body }) => body.task.id)).size).toBe(1)
    expect(await inbound.total()).toBe(4)
  })

  it('while one before it was put back from the dead letters has that', async () => {
    let execute = async () => Promise.reject(new Error('no'))
    const agent = createFakeAgent(() => execute())
    await using inbound = await startInbound({
      adapters: [agent],
      background: true,
      env: { QUEUE_RETRY_ATTEMPTS: '1' },
    })
    const { id } = (await label(inbound)).body.task
    await inbound.reaches(id, 'failed')
    execute = HOLD as never
    const { id: next } = (await order(inbound, 'again')).body.task
    await inbound.tasks.cancel(ANN, next)
    const [letter] = (await inbound.call('GET /api/dlq')).body.items
    expect((await inbound.call(`POST /api/dlq/${letter.id}/retry`)).status).toBe(200)
    await turns()
    expect((await order(inbound, 'more')).body).toMatchObject({ message: THERE, task: { id } })
    expect(await inbound.total()).toBe(2)
  })

  it('has another in spite of one that was made by hand under its name, or of another issue', async () => {
    await using inbound = await startInbound()
    const { id, source, sourceId } = (await label(inbound)).body.task
    await inbound.tasks.cancel(ANN, id)
    const byHand = await inbound.create({ source, sourceId })
    const other = await inbound.create({ source, sourceId: 'acme/shop#13' })
    await inbound.tasks.cancel(ANN, other.id)
    await inbound.call(`POST /api/tasks/${other.id}/retry`)
    const { message, task } = (await order(inbound, 'again')).body
    expect(message).toBe('This event already created a task')
    expect([byHand.id, other.id]).not.toContain(task.id)
  })
})
