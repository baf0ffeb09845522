import * as z from 'zod'
import { defineTool } from '../tool.ts'
import { PathSchema } from './path.ts'

export const writeFile = defineTool({
  name: 'write_file',
  description: 'Write a whole text file, making its folders. An existing file is replaced.',
  input: z.object({ path: PathSchema, content: z.string().max(1_000_000) }),
  risk: 'write',
  paths: ({ path }) => [path],
  subject: ({ path }) => path,
  async run({ path, content }, { workspace }) {
    const { created } = await workspace.write(path, content)
    return { content: `${created ? 'Created' : 'Replaced'} ${path}, ${Buffer.byteLength(content)} bytes.` }
  },
})
