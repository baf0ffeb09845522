import * as z from 'zod'
import { defineTool } from '../tool.ts'
import { PathSchema } from './path.ts'

const MOST = 1_000

export const listFiles = defineTool({
  name: 'list_files',
  description:
    'List a folder of the workspace. Folders end in /, symbolic links in @. Leave path out for the root.',
  input: z.object({ path: PathSchema.default('.') }),
  risk: 'read',
  paths: ({ path }) => [path],
  subject: ({ path }) => path,
  async run({ path }, { workspace }) {
    const { names, truncated } = await workspace.list(path, MOST)
    if (names.length === 0) return { content: 'The folder is empty.' }
    return {
      content: [...names, ...(truncated ? [`[more than ${MOST}; the rest is not shown]`] : [])].join('\n'),
    }
  },
})
