// Atlassian Document Format: developer.atlassian.com/cloud/jira/platform/apis/document/structure

type Mark = { type: 'strong' } | { type: 'link'; attrs: { href: string } }

/** A text may not be empty. */
export const textNode = (text: string, marks?: readonly Mark[]) => ({
  type: 'text',
  text,
  ...(marks ? { marks } : {}),
})

/** Plain text as paragraphs, as its empty lines divide it. */
export const blocksOf = (text: string): object[] =>
  text
    .split(/\n{2,}/)
    .map((part) => part.split('\n').filter((line) => line.trim() !== ''))
    .filter((lines) => lines.length > 0)
    .map((lines) => ({
      type: 'paragraph',
      content: lines.flatMap((line, at) => [...(at > 0 ? [{ type: 'hardBreak' }] : []), textNode(line)]),
    }))
