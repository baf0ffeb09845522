type Sample = {
  /** What it shows. */
  name: string
  about: string
  body: { title: string; prompt: string; metadata?: { securityMode: 'ask' | 'full' } }
}

const LABEL = 'This is a sample. The scripted demo model (not an AI) follows the lines below.'

const call = (tool: string, args: object) => `demo: tool ${tool} ${JSON.stringify(args)}`

const ROUNDED_EARLY = `export const total = (prices) =>
  prices.map((price) => Math.round(price)).reduce((sum, price) => sum + price, 0)
`
const SUM_FIRST = 'prices.reduce((sum, price) => sum + price, 0)'

const prompt = (request: string, ...orders: readonly string[]) => [request, '', LABEL, ...orders].join('\n')

/** Each ends with a result on the demo model, and shows another part of the service. */
export const samples: readonly Sample[] = [
  {
    name: 'Change a file',
    about: 'An agent edits a file, and you see the diff',
    body: {
      title: 'Sample: round the total once',
      prompt: prompt(
        'Round the total of the cart once, not each price.',
        call('write_file', { path: 'cart.js', content: ROUNDED_EARLY }),
        call('edit_file', {
          path: 'cart.js',
          oldText: 'prices.map((price) => Math.round(price)).reduce((sum, price) => sum + price, 0)',
          newText: `Math.round(${SUM_FIRST})`,
        }),
        call('read_file', { path: 'cart.js' }),
        'demo: say The total in cart.js is rounded once, after the sum. See Changes.',
      ),
      metadata: { securityMode: 'full' },
    },
  },
  {
    name: 'Ask before acting',
    about: 'A tool call waits for your approval',
    body: {
      title: 'Sample: ask before writing a file',
      prompt: prompt(
        'Write release notes, and ask before you write the file.',
        call('write_file', {
          path: 'RELEASE.md',
          content: '# Release notes\n\n- The total is rounded once.\n',
        }),
        'demo: say You allowed the call, so I wrote RELEASE.md. See Changes.',
      ),
      metadata: { securityMode: 'ask' },
    },
  },
  {
    name: 'Think, step by step',
    about: 'Follow the steps of an agent live',
    body: {
      title: 'Sample: look, write, check',
      prompt: prompt(
        'Look at the workspace, write a note, and check it.',
        'demo: slow 700',
        'demo: think First I look around, then I write a note, then I check it.',
        call('list_files', {}),
        call('write_file', { path: 'notes.md', content: '# Notes\n\nThe workspace was empty.\n' }),
        call('read_file', { path: 'notes.md' }),
        'demo: say The workspace was empty. I wrote that to notes.md and read it back.',
      ),
      metadata: { securityMode: 'full' },
    },
  },
]
