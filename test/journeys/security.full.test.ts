import { describe, expect, it } from '@jest/globals'
import { calling, saying, startWire } from '../fakes/model-wire.ts'
import { connect } from './client.ts'
import { isOffline, startService, temporaryFolder } from './service.ts'

if (isOffline)
  process.stderr.write(
    'SKIPPED: functions apply the policy by the same code, and a stack of its own takes half a minute\n',
  )
const oneProcess = isOffline ? it.skip : it

describe('security', () => {
  oneProcess('applies the policy to the calls of agents, and records each', async () => {
    using folder = temporaryFolder()
    const wire = await startWire(
      calling(['write_file', { path: 'a.txt', content: 'key sk-proj-abcdefgh12345678' }]),
      calling(['git', { args: ['status'] }]),
      calling(['read_file', { path: '../outside' }]),
      saying('Done.'),
    )
    const env = {
      DATA_DIR: folder.in('data'),
      OPENAI_BASE_URL: `${wire.origin}/v1`,
      OPENAI_MODEL: 'model-7',
      OPENAI_API_KEY: 'planted_1234567890',
      DEFAULT_PROVIDER: 'openai',
    }
    await using service = await startService({ env })
    const { client, perform } = connect(service.baseUrl)
    await client.changePolicy({ body: { blockedTools: ['git'] } })
    expect((await client.getPolicy()).policy).toMatchObject({ blockedTools: ['git'], defaultMode: 'ask' })
    const task = await perform({ title: 'Write', prompt: 'Write a.txt' })
    expect(task.status).toBe('completed')
    const { entries, total } = await client.listToolCalls({ query: { taskId: task.id } })
    expect(total).toBe(3)
    expect(entries.map(({ tool, decision, guard, mode }) => [tool, decision, guard, mode])).toEqual([
      ['read_file', 'blocked', 'path-traversal', 'full'],
      ['git', 'denied', undefined, 'full'],
      ['write_file', 'allowed', undefined, 'full'],
    ])
    const { entry } = await client.getToolCall({ params: { id: entries[2]?.id ?? '' } })
    expect(entry).toMatchObject({
      taskId: task.id,
      userId: 'local',
      arguments: { path: 'a.txt', content: 'key [masked]' },
      result: expect.stringContaining('a.txt'),
    })
    await wire.close()
  })
})
