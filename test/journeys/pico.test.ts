import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { describe, expect, it } from '@jest/globals'
import { connect } from './client.ts'
import { isOffline, startService, temporaryFolder } from './service.ts'

if (isOffline) process.stderr.write('SKIPPED: npm run offline is mode pro, and mode pico is another\n')
const inOneProcess = isOffline ? it.skip : it

describe('mode pico', () => {
  inOneProcess('runs tasks, writes nothing into DATA_DIR, and forgets all when it ends', async () => {
    using folder = temporaryFolder()
    const [data, temporary] = [folder.in('data'), folder.in('temporary')]
    mkdirSync(temporary)
    const env = { SERVICE_MODE: 'pico', DATA_DIR: data, TMPDIR: temporary }
    await using first = await startService({ env })
    expect(first.output()).toContain('mode pico')
    expect(first.output()).toContain('memory only')
    const before = connect(first.baseUrl)
    const task = await before.perform({ title: 'Hello' })
    expect(task).toMatchObject({ status: 'completed', result: { filesChanged: [{ path: 'demo-notes.md' }] } })
    expect(existsSync(data)).toBe(false)
    expect(readdirSync(temporary)).not.toEqual([])
    expect(await first.stop()).toMatchObject({ code: 0, signal: null })
    expect(readdirSync(temporary)).toEqual([])

    await using second = await startService({ env })
    const after = connect(second.baseUrl)
    expect(await after.client.listTasks()).toMatchObject({ tasks: [], total: 0 })
    expect((await after.client.taskAnalytics()).totalTasks).toBe(0)
    expect(existsSync(data)).toBe(false)
  })
})
