/** An invisible character that ends a word: code hosts do not read the texts on both sides as one word. */
const BREAK = '\u200b'

/** The texts after which a break is inserted, so that code hosts and trackers see nothing to act on. */
const ACTIVE: readonly RegExp[] = [
  // @person, @org/team
  /@(?=[\p{L}\p{N}_-])/gu,
  // Accounts in Jira's wiki markup
  /\[(?=~)/g,
  // The address of a profile, which Linear reads as a mention
  /\/(?=profiles\/)/gi,
  // #12, owner/repo#12, and the commands of commit messages
  /#(?=\w)/g,
  // GH-12, PROJ-12
  /\b[A-Z][A-Z0-9]{1,20}-(?=\d)/g,
  // Addresses of issues and pull requests
  /\/(?:issues|issue|pull|pulls|discussions|browse)\/(?=\w)/gi,
  // Commands of bots, at the beginning of a line
  /^[ \t>*-]*\/(?=[a-z])/gim,
  // Characters written by name or number
  /&(?=[#a-z])/gi,
  // Elements and comments of HTML
  /<(?=[a-z/!?])/gi,
  // Pictures, which readers load from other hosts
  /!(?=\[)/g,
]

/** Makes an untrusted text safe to publish as Markdown: it mentions, refers to, closes, commands and loads nothing. */
export const neutralText = (text: string): string =>
  ACTIVE.reduce((neutral, pattern) => neutral.replace(pattern, (found) => found + BREAK), text)
