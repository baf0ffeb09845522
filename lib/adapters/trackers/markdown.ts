import type { CommentDraft } from '../../ports/tracker.ts'

/** A draft as Markdown. What is from outside comes last: nothing that it leaves open swallows what the service says. */
export const markdownOf = ({ headline, facts, links, text }: Omit<CommentDraft, 'mark'>): string => {
  const shown = links.map(({ label, url }) => `[${label}](${url.replace(/[()<>\s\\]/g, encodeURIComponent)})`)
  const first = [`**${headline}**`, ...facts, ...shown].join(' · ')
  return text === '' ? first : `${first}\n\n${text}`
}
