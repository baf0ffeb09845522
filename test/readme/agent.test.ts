import { writeFileSync } from 'node:fs'
import { describe, expect, it } from '@jest/globals'
import { taskApi, until } from '../journeys/api.ts'
import { startService, temporaryFolder } from '../journeys/service.ts'
import { blocks, readText } from './readme.ts'

describe('the agent in README.md', () => {
  it('works', async () => {
    using folder = temporaryFolder()
    writeFileSync(folder.in('words.js'), blocks('js', readText('README.md'))[0] ?? '')
    const env = { DATA_DIR: folder.in('data'), AGENT_ADAPTERS: folder.in('words.js') }
    await using service = await startService({ env })
    const api = taskApi(service.baseUrl)
    const { id } = await api.create({ title: 'Count', prompt: 'one two three', assignedAgent: 'words' })
    expect(await api.untilTask(id, 'completed', 'failed')).toMatchObject({
      status: 'completed',
      result: { success: true, output: '3 words' },
    })
    // The last progress may be stored a moment after the end.
    await until(async () => (await api.events(id)).some(({ message }) => message === 'counting') || undefined)
  })
})

describe('the agent in docs/guide/agents.md', () => {
  it('works, tells its progress, stops when it is told to, and fails for good when it says so', async () => {
    using folder = temporaryFolder()
    writeFileSync(folder.in('word-count.js'), blocks('js', readText('docs/guide/agents.md'))[0] ?? '')
    const env = { DATA_DIR: folder.in('data'), AGENT_ADAPTERS: folder.in('word-count.js') }
    await using service = await startService({ env })
    const api = taskApi(service.baseUrl)
    const create = (prompt: string) => api.create({ title: 'Count', prompt, assignedAgent: 'word-count' })

    const counted = await create('one two three')
    expect(await api.untilTask(counted.id, 'completed', 'failed')).toMatchObject({
      status: 'completed',
      result: { success: true, output: '3 words', words: 3, attempt: 1 },
    })
    await until(async () => {
      const messages = (await api.events(counted.id)).map(({ message }) => message)
      return (
        ['counted one', 'counted two', 'counted three'].every((one) => messages.includes(one)) || undefined
      )
    })

    const { id } = await create('')
    expect(await api.untilTask(id, 'completed', 'failed')).toMatchObject({
      status: 'failed',
      attempts: 1,
      error: { code: 'no_prompt', message: 'There is no prompt' },
    })

    const long = await create('word '.repeat(1_000))
    await api.untilTask(long.id, 'in_progress')
    await api.cancel(long.id)
    await api.untilIdle()
    expect(await api.task(long.id)).toMatchObject({ status: 'cancelled' })
  })
})
