import { existsSync, readFileSync } from 'node:fs'
import * as path from 'node:path'
import type { JournalLine, Script } from '../fixtures/agents/scripted.ts'
import { type Environment, root, temporaryFolder } from './service.ts'

/** Settings of a service whose agent is the scripted one, with data and journal in a folder of their own. */
export const scriptedWorld = (more: Environment = {}) => {
  const folder = temporaryFolder()
  const file = folder.in('journal')
  const env: Environment = {
    DATA_DIR: folder.in('data'),
    AGENT_ADAPTERS: path.join(root, 'test/fixtures/agents/scripted.ts'),
    DEFAULT_AGENT: 'scripted',
    SCRIPTED_JOURNAL: file,
    ...more,
  }
  /** Every run so far, whatever became of its service. */
  const journal = (): JournalLine[] =>
    existsSync(file)
      ? readFileSync(file, 'utf8')
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line))
      : []
  return { env, journal, [Symbol.dispose]: folder[Symbol.dispose] }
}

/** The body of a create whose run goes as `script` says. */
export const scriptedTask = (title: string, script: Script = {}) => ({ title, metadata: script })
