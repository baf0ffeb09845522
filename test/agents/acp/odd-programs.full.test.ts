import { chmodSync, writeFileSync } from 'node:fs'
import * as path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals'
import { createFakeClock } from '../../fakes/clock.ts'
import { until } from '../../fakes/until.ts'
import type { Act } from '../../fixtures/acp/agent.ts'
import {
  type AcpRuns,
  chunk,
  openAcpRuns,
  permissionRequest,
  type RunOptions,
  texts,
  undecided,
} from './acp-runs.ts'

let acp: AcpRuns
const open: AcpRuns['open'] = (...given) => acp.open(...given)
beforeAll(async () => {
  acp = await openAcpRuns()
})
afterAll(() => acp[Symbol.asyncDispose]())

describe('an odd program of an agent over ACP', () => {
  it.each<[string, RunOptions, Act[], object]>([
    ['an older version of ACP', { start: 'old' }, [], { code: 'agent_protocol', retryable: false }],
    ['a newer version of ACP', { start: 'new' }, [], { code: 'agent_protocol', retryable: false }],
    [
      'an id of a session that is too long',
      { start: 'long-session' },
      [],
      { code: 'agent_protocol', retryable: false },
    ],
    [
      'a server of tools that it cannot use',
      { program: { mcpServers: [{ name: 'docs', url: 'https://docs.example/mcp' }] } },
      [],
      { code: 'agent_protocol', message: expect.stringContaining('docs'), retryable: false },
    ],
    [
      'requests without end, all with one id',
      { needs: { openPermissions: () => undecided } },
      [
        { act: 'raw', text: `${JSON.stringify(permissionRequest)}\n`, times: 1_000 },
        { act: 'wait', ms: 60_000 },
      ],
      { code: 'agent_protocol', message: expect.stringContaining('too many requests at once') },
    ],
    [
      'a line of 50 MB',
      {},
      [
        { act: 'raw', text: 'x'.repeat(1_000), times: 50_000 },
        { act: 'wait', ms: 60_000 },
      ],
      { code: 'agent_protocol' },
    ],
  ])('fails with an error of the protocol: %s', async (_title, options, script, failure) => {
    await expect(open(script, options).result).rejects.toMatchObject(failure)
  })

  it.each([
    ['what is no JSON', 'no json\n'],
    [
      'an unknown update',
      '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"session_1","update":{"sessionUpdate":"later"}}}\n',
    ],
    ['an unknown notification', '{"jsonrpc":"2.0","method":"_other/thing","params":{}}\n'],
    ['an update of nothing', '{"jsonrpc":"2.0","method":"session/update","params":7}\n'],
    ['an answer to nothing', '{"jsonrpc":"2.0","id":"\\u001b[2J","result":{}}\n'],
    ['an update of another session', `${chunk('Not mine.', 'session_of_another')}\n`],
  ])('goes on after %s, and writes nothing of it to the log', async (_title, text) => {
    const written = jest.spyOn(console, 'error').mockImplementation(() => undefined)
    const { result } = open([
      { act: 'raw', text },
      { act: 'say', text: 'Still here.' },
    ])
    expect(await result).toMatchObject({ success: true, output: 'Still here.' })
    expect(written).not.toHaveBeenCalled()
    written.mockRestore()
  })

  it.each(['fs/read_text_file', 'fs/write_text_file', 'terminal/create', '_own/method'])(
    'refuses what it does not offer: %s',
    async (method) => {
      const { result } = open([{ act: 'request', text: method }])
      expect(await result).toMatchObject({ output: `${method}: -32601 ` })
    },
  )

  it('keeps characters that come in two parts, and leaves out what comes after the end of the turn', async () => {
    const [before = '', after = ''] = chunk('|').split('|')
    const { result, observed } = open(
      [
        { act: 'raw', text: before },
        { act: 'raw', bytes: [0xf0, 0x9f] },
        { act: 'wait', ms: 50 },
        { act: 'raw', bytes: [0x98, 0x80] },
        { act: 'raw', text: `${after}\n` },
        { act: 'later', text: 'Too late.' },
      ],
      { start: 'stays', clock: createFakeClock() },
    )
    await until(() => texts(observed) !== '')
    await sleep(200)
    expect(texts(observed)).toBe('😀')
    void result
  })

  it('keeps an id of a session as it is, which is no path', async () => {
    const { result } = open([{ act: 'say', text: 'Here.' }], { start: 'paths' })
    expect(await result).toMatchObject({ output: 'Here.', agentSession: '../../../../tmp/session' })
  })

  it('bounds what a run keeps and shows of a flood', async () => {
    const line = `${chunk('x'.repeat(1_000_000))}\n`
    const { result, observed } = open([
      { act: 'raw', text: line, times: 60 },
      { act: 'say', text: 'The end.' },
    ])
    const { output } = await result
    expect([output.length, output.slice(-8)]).toEqual([100_000, 'The end.'])
    expect(texts(observed).length).toBeLessThan(51_000_000)
    expect(texts(observed).split('is not shown: this run sent too much')).toHaveLength(2)
  })

  it.each<[string, string, boolean]>([
    ['without its interpreter', '#!/none/interpreter\n', false],
    ['without its interpreter, in a sandbox', '#!/none/interpreter\n', true],
    ['that is no program, in a sandbox', '\u0000\u0001', true],
  ])('tells of a program %s that it cannot be started', async (_title, content, isSandboxed) => {
    const on = isSandboxed ? acp.sandboxed : acp.bench
    const command = path.join(on.folder, 'broken')
    writeFileSync(command, content)
    chmodSync(command, 0o755)
    const { result } = open([], { program: { command, args: [] }, on })
    await expect(result).rejects.toMatchObject({ code: 'agent_missing', retryable: false })
  })
})
