/** Is not seen, and ends a word: what stands on both of its sides is not read as one. */
const BREAK = '\u200b'

/** After what a break goes, so that nothing is left of what a code host or a tracker would act on. */
const ACTIVE: readonly RegExp[] = [
  // @person, @org/team
  /@(?=[\p{L}\p{N}_-])/gu,
  // The accounts of Jira's wiki markup
  /\[(?=~)/g,
  // The address of a profile, which is a mention in Linear
  /\/(?=profiles\/)/gi,
  // #12, owner/repo#12, and the commands of commit messages
  /#(?=\w)/g,
  // GH-12, PROJ-12
  /\b[A-Z][A-Z0-9]{1,20}-(?=\d)/g,
  // Addresses of issues and pull requests
  /\/(?:issues|issue|pull|pulls|discussions|browse)\/(?=\w)/gi,
  // Commands of bots, which stand at the beginning of a line
  /^[ \t>*-]*\/(?=[a-z])/gim,
  // Characters that are written by name or number
  /&(?=[#a-z])/gi,
  // Elements and comments of HTML, which the text is not
  /<(?=[a-z/!?])/gi,
  // Pictures, which are loaded from elsewhere
  /!(?=\[)/g,
]

/**
 * A text of an agent or a stranger as it may be published as Markdown: it reads the same, but mentions no user, refers to no
 * issue, closes none, commands no bot, loads no picture and brings no HTML.
 */
export const neutralText = (text: string): string =>
  ACTIVE.reduce((neutral, pattern) => neutral.replace(pattern, (found) => found + BREAK), text)
