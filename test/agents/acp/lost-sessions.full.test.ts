import { rmSync } from 'node:fs'
import * as path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Act } from '../../fixtures/acp/agent.ts'
import { type AcpRuns, openAcpRuns } from './acp-runs.ts'

let acp: AcpRuns
const open: AcpRuns['open'] = (...given) => acp.open(...given)
beforeAll(async () => {
  acp = await openAcpRuns()
})
afterAll(() => acp[Symbol.asyncDispose]())

describe('a later attempt of an agent over ACP that has lost its session', () => {
  let attempts = 0
  const RECITE: Act[] = [{ act: 'recite' }]

  it.each<[string, string, () => unknown]>([
    ['that cannot resume', 'no-resume', () => undefined],
    ['whose session is gone', 'normal', () => rmSync(path.join(acp.bench.dir, 'anew_2/home/sessions.json'))],
    [
      'whose home is gone',
      'normal',
      () => rmSync(path.join(acp.bench.dir, 'anew_3/home'), { recursive: true }),
    ],
  ])('begins anew, and says so: one %s', async (_title, start, lose) => {
    attempts += 1
    const workspace = `anew_${attempts}`
    await acp.interrupted(workspace)
    lose()
    const { result, progress } = open(RECITE, { start }, { workspace, attempt: 2 })
    const { output, filesChanged } = await result
    expect(output).not.toContain('interrupted')
    expect(filesChanged).toMatchObject([{ path: 'a.txt' }])
    expect(progress).toContain('The agent no longer has its session, so it starts a new one')
  })
})
