import * as path from 'node:path'
import { root, temporaryFolder } from './service.ts'

/** Settings of a service whose agent is the fixture of that name, with data in a folder of its own. */
export const agentWorld = (agent: string) => {
  const folder = temporaryFolder()
  const env = {
    DATA_DIR: folder.in('data'),
    AGENT_ADAPTERS: path.join(root, `test/fixtures/agents/${agent}.ts`),
    DEFAULT_AGENT: agent,
  }
  return { folder, env }
}
