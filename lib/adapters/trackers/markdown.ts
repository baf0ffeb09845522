import type { CommentDraft } from '../../ports/tracker.ts'

/** A draft as Markdown. Untrusted text comes last, so that its open markup cannot contain the service's text. */
export const markdownOf = ({ headline, facts, links, text }: Omit<CommentDraft, 'mark'>): string => {
  const shown = links.map(({ label, url }) => `[${label}](${url.replace(/[()<>\s\\]/g, encodeURIComponent)})`)
  const first = [`**${headline}**`, ...facts, ...shown].join(' · ')
  return text === '' ? first : `${first}\n\n${text}`
}
