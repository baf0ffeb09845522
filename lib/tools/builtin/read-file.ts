import * as z from 'zod'
import { defineTool } from '../tool.ts'
import { PathSchema } from './path.ts'

const MOST_BYTES = 256 * 1_024

export const readFile = defineTool({
  name: 'read_file',
  description: 'Read a text file of the workspace.',
  input: z.object({ path: PathSchema }),
  risk: 'read',
  paths: ({ path }) => [path],
  subject: ({ path }) => path,
  async run({ path }, { workspace }) {
    const { text, bytes, truncated } = await workspace.read(path, MOST_BYTES)
    if (text === '') return { content: '[the file is empty]' }
    return {
      content: truncated ? `${text}\n[cut: the file has ${bytes} bytes; search_files finds the rest]` : text,
    }
  },
})
