import { describe, expect, it } from '@jest/globals'
import { type Connection, connect, eventTypes } from './client.ts'
import { openService } from './opened-service.ts'

type Created = Awaited<ReturnType<Connection['client']['createTask']>>

describe('the first task of a new user, without any key', () => {
  it('is created, queued, worked on with real tools and completed', async () => {
    await using service = await openService()
    const { client, untilTask, events } = connect(service.baseUrl)
    const body = { title: 'Hello', prompt: 'Write a note about this workspace' }
    const created = await client.createTask.raw({ body })
    expect(created.status).toBe(201)
    const { message, task } = (await created.json()) as Created
    expect(message).toBe('Task created and queued')
    expect(task).toMatchObject({
      ...body,
      id: expect.stringMatching(/^task_[0-9A-Z]{26}$/),
      status: 'queued',
      priority: 3,
      source: 'api',
      labels: [],
      attempts: 0,
      maxAttempts: 3,
      agent: 'coding-agent',
    })

    const done = await untilTask(task.id, 'completed', 'failed')
    expect(done).toMatchObject({
      ...body,
      status: 'completed',
      agent: 'coding-agent',
      attempts: 1,
      createdAt: task.createdAt,
      result: {
        success: true,
        output: expect.stringContaining('not an AI'),
        filesChanged: [{ path: 'demo-notes.md', status: 'added', additions: 9, deletions: 0 }],
        diff: expect.stringMatching(/^diff --git a\/demo-notes\.md .*\+# Hello\n/s),
        branch: `agent/${task.id}`,
        provider: 'demo',
      },
    })
    const { promptTokens = 0, completionTokens = 0, totalTokens } = done.usage ?? {}
    expect(Math.min(promptTokens, completionTokens)).toBeGreaterThan(0)
    expect(totalTokens).toBe(promptTokens + completionTokens)
    const times = [done.createdAt, done.queuedAt, done.startedAt, done.completedAt]
    expect(times.toSorted()).toEqual(times)

    const log = await events(task.id)
    expect(eventTypes(log).join(' ')).toMatch(/^created queued started (progress )+completed$/)
    expect(log.map(({ id }) => id).toSorted()).toEqual(log.map(({ id }) => id))
    expect(log.filter(({ type }) => type === 'progress').map((event) => event.message)).toEqual([
      'Preparing an empty workspace',
      'Step 1 of 25',
      'list_files .',
      'Step 2 of 25',
      'write_file demo-notes.md',
      'Step 3 of 25',
      'read_file demo-notes.md',
      'Step 4 of 25',
      'Collecting changes',
    ])
    const [listed] = (await client.listTasks({ query: { limit: 1 } })).tasks
    expect(listed).toMatchObject({ id: task.id, status: 'completed' })
    const { tasks } = (await client.queueStatus()).queues
    expect(tasks.completed).toBeGreaterThan(0)
  })
})
