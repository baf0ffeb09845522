import { type FileDiff, filesOfDiff } from './diff-files.ts'
import { Scroller } from './scroller.tsx'
import { Tag } from './tag.tsx'

const looks = {
  '+': 'bg-completed/10 text-completed',
  '-': 'bg-failed/10 text-failed',
  '@': 'bg-muted text-muted-foreground',
} as const

const lookOf = (line: string) => looks[line[0] as keyof typeof looks] ?? ''

/** A diff in git's form, a fold for each file. */
export const Diff = ({ text }: { text: string }) => (
  <div className="divide-y">
    {filesOfDiff(text).map((file, n) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: a diff does not change its order.
      <File key={n} {...file} />
    ))}
  </div>
)

const File = ({ path, lines, added, removed }: FileDiff) => (
  <details open={lines.length < MOST_OPEN}>
    <summary className="flex items-center gap-2 px-3.5 py-2 hover:bg-muted">
      <span className="min-w-0 truncate font-mono text-xs">{path}</span>
      <Tag tone="good">+{added}</Tag>
      <Tag tone="bad">−{removed}</Tag>
    </summary>
    <Scroller role="group" label={`Changes of ${path}`} className="overflow-x-auto pb-2">
      <pre className="font-mono text-xs leading-5">
        <code className="block w-max min-w-full">
          {lines.map((line, n) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a diff does not change its order.
            <span key={n} className={`block px-3.5 ${lookOf(line)}`}>
              {line || ' '}
            </span>
          ))}
        </code>
      </pre>
    </Scroller>
  </details>
)

const MOST_OPEN = 400
