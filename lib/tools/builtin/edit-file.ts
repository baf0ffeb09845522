import * as z from 'zod'
import { Problem } from '../../core/errors.ts'
import { defineTool } from '../tool.ts'
import { PathSchema } from './path.ts'

const MOST_BYTES = 1_000_000

const refuse = (message: string) => new Problem('invalid', 'edit_refused', message)

/** Puts `newText` where `oldText` stands. Throws Problem `invalid` `edit_refused` unless it stands there exactly once. */
const replaceOnce = (text: string, oldText: string, newText: string): string => {
  const at = text.indexOf(oldText)
  if (at < 0) throw refuse('oldText does not occur in the file. Read the file and copy the text exactly.')
  // One character on, not one match on: overlapping occurrences are ambiguous too.
  if (text.indexOf(oldText, at + 1) >= 0)
    throw refuse('oldText occurs more than once. Take in more of the lines around it.')
  return text.slice(0, at) + newText + text.slice(at + oldText.length)
}

export const editFile = defineTool({
  name: 'edit_file',
  description:
    'Replace oldText by newText in a text file. oldText must occur exactly once, white space included.',
  input: z.object({
    path: PathSchema,
    oldText: z.string().min(1).max(1_000_000),
    newText: z.string().max(1_000_000),
  }),
  risk: 'write',
  paths: ({ path }) => [path],
  subject: ({ path }) => path,
  async run({ path, oldText, newText }, { workspace }) {
    if (oldText === newText) throw refuse('oldText and newText are the same.')
    const { text, truncated } = await workspace.read(path, MOST_BYTES)
    if (truncated) throw refuse(`The file is larger than ${MOST_BYTES} bytes.`)
    await workspace.write(path, replaceOnce(text, oldText, newText))
    return { content: `Edited ${path}.` }
  },
})
