import { Fragment, memo, type ReactNode, startTransition, useEffect, useRef, useState } from 'react'
import { cutText } from '../../../../lib/core/cut-text.ts'
import { Code } from './code.tsx'
import { safeLink } from './link.ts'
import type { Block, Group, MarkdownNode, Part } from './markdown-blocks.ts'
import { cachedPart, parsePart } from './markdown-parser.ts'
import { PlainText } from './plain-text.tsx'
import { Scroller } from './scroller.tsx'
import { ShowMore } from './show-more.tsx'
import { PART_LETTERS } from './written-part.ts'

type Kind = Block['type']
type BlockWithType<K extends Kind> = Extract<Block, { type: K }>
type Drawers = { readonly [K in Kind]?: (node: BlockWithType<K>) => ReactNode }

const listClass = 'my-1.5 flex flex-col gap-1 pl-5'

const Outside = ({ url, children }: { url: string; children: ReactNode }) => {
  const href = safeLink(url)
  if (href === undefined) return children
  return (
    <a href={href} target="_blank" rel="noreferrer" className="underline underline-offset-2">
      {children}
    </a>
  )
}

/** An image, not a checkbox: it is read-only. */
const Done = ({ is }: { is: boolean }) => (
  <span role="img" aria-label={is ? 'Done' : 'Not done'} className="text-muted-foreground">
    {is ? '☑' : '☐'}
  </span>
)

type Row = {
  row: BlockWithType<'table'>['children'][number]
  align: BlockWithType<'table'>['align']
  cell: 'th' | 'td'
}

const Cells = ({ row, align, cell: Cell }: Row) => (
  <tr>
    {row.children.map(({ children }, at) => (
      <Cell
        // biome-ignore lint/suspicious/noArrayIndexKey: text that grows keeps what comes before its end.
        key={at}
        className={`border px-2 py-1 text-left align-top ${Cell === 'th' ? 'bg-muted font-semibold' : ''}`}
        style={{ textAlign: align?.[at] ?? undefined }}
      >
        {renderBlocks(children)}
      </Cell>
    ))}
  </tr>
)

/** HTML is shown as text and an image as a link: nothing is loaded. */
const drawers: Drawers = {
  written: ({ value }) => <PlainText text={value} />,
  text: ({ value }) => value,
  html: ({ value }) => value,
  // Line breaks are kept: text that is not Markdown keeps its form.
  paragraph: ({ children }) => <p className="my-1.5 whitespace-pre-line">{renderBlocks(children)}</p>,
  // Not heading elements, which would break the outline of the page.
  heading: ({ children }) => <p className="mt-3 mb-1.5 text-base font-semibold">{renderBlocks(children)}</p>,
  strong: ({ children }) => <strong className="font-semibold">{renderBlocks(children)}</strong>,
  emphasis: ({ children }) => <em>{renderBlocks(children)}</em>,
  inlineCode: ({ value }) => (
    <code className="rounded bg-foreground/7 px-1 py-0.5 font-mono text-xs">{value}</code>
  ),
  code: ({ value, lang }) => <Code text={value} language={lang} />,
  list: ({ ordered, start, children }) =>
    ordered ? (
      <ol start={start ?? 1} className={`list-decimal ${listClass}`}>
        {renderBlocks(children)}
      </ol>
    ) : (
      <ul className={`list-disc ${listClass}`}>{renderBlocks(children)}</ul>
    ),
  listItem: ({ children, checked }) => (
    <li className={`[&>p]:my-0 ${typeof checked === 'boolean' ? 'flex list-none gap-1.5' : ''}`}>
      {typeof checked === 'boolean' && <Done is={checked} />}
      {typeof checked === 'boolean' ? (
        <div className="[&>p]:my-0">{renderBlocks(children)}</div>
      ) : (
        renderBlocks(children)
      )}
    </li>
  ),
  table: ({ children: [head, ...rows], align }) => (
    <Scroller role="group" label="Table" className="my-2 overflow-x-auto">
      <table className="border-collapse">
        {head && (
          <thead>
            <Cells row={head} align={align} cell="th" />
          </thead>
        )}
        <tbody>
          {rows.map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: text that grows keeps what comes before its end.
            <Cells key={at} row={row} align={align} cell="td" />
          ))}
        </tbody>
      </table>
    </Scroller>
  ),
  delete: ({ children }) => <del>{renderBlocks(children)}</del>,
  footnoteReference: ({ label, identifier }) => <sup>[{label ?? identifier}]</sup>,
  footnoteDefinition: ({ label, identifier, children }) => (
    <div className="flex gap-1.5 text-muted-foreground">
      <sup className="pt-2">[{label ?? identifier}]</sup>
      <div className="[&>p]:my-0">{renderBlocks(children)}</div>
    </div>
  ),
  blockquote: ({ children }) => (
    <blockquote className="my-2 border-l-2 pl-3 text-muted-foreground">{renderBlocks(children)}</blockquote>
  ),
  thematicBreak: () => <hr className="my-3" />,
  break: () => <br />,
  link: ({ url, children }) => <Outside url={url}>{renderBlocks(children.map(asText))}</Outside>,
  linkReference: ({ children }) => renderBlocks(children),
  image: ({ alt, url }) => <Outside url={url}>{alt || url}</Outside>,
  imageReference: ({ alt }) => alt,
}

/** An image within a link is its name: links cannot be nested. */
const asText = (node: MarkdownNode): MarkdownNode =>
  node.type === 'image' ? { type: 'text', value: node.alt || node.url } : node

const renderBlocks = (nodes: readonly Block[]): ReactNode =>
  nodes.map((node, at) => {
    const draw = drawers[node.type] as ((node: Block) => ReactNode) | undefined
    // biome-ignore lint/suspicious/noArrayIndexKey: text that grows keeps what comes before its end.
    return <Fragment key={at}>{draw?.(node)}</Fragment>
  })

/** Estimated height before layout, in rem. */
const aboutHigh = (weight: number): number => Math.max(20, weight / 15)

type GroupProps = { group: Group; isFar: boolean }

/** `isFar`: skip layout while off screen. */
const GroupView = memo(
  ({ group: { blocks, weight }, isFar }: GroupProps) =>
    isFar ? (
      <div
        className="[content-visibility:auto] [&>:first-child]:mt-0"
        style={{ containIntrinsicBlockSize: `auto ${aboutHigh(weight)}rem` }}
      >
        {renderBlocks(blocks)}
      </div>
    ) : (
      renderBlocks(blocks)
    ),
  (before, after) =>
    before.isFar === after.isFar &&
    before.group.source === after.group.source &&
    before.group.definitions === after.group.definitions,
)

/** The pause between two parses of a growing text. */
const PAUSE_MS = 100

type Known = { text: string; parts: readonly Part[] }

const cachedParts = (text: string): Known => {
  const part = cachedPart(text)
  return { text, parts: part ? [part] : [] }
}

/** The parts of the previous text that are unchanged in this one. */
const sameParts = ({ text: before, parts }: Known, text: string): readonly Part[] =>
  text === before
    ? parts
    : parts.filter(({ end }) => end < before.length && text.startsWith(before.slice(0, end)))

/** Parses `count` parts in the worker. While a text grows, the last parsed version is shown and only the newest text is parsed next. */
const useParts = (text: string, count: number): Known => {
  const [known, setKnown] = useState(() => cachedParts(text))
  const wanted = useRef({ text, count })
  const isBusy = useRef(false)
  const isMounted = useRef(true)
  useEffect(() => {
    wanted.current = { text, count }
    const read = async () => {
      let now = known
      while (isMounted.current) {
        const { text: next, count: most } = wanted.current
        const parts = sameParts(now, next)
        const from = parts.at(-1)?.end ?? 0
        const isRead =
          now.text === next && (parts.length >= most || (parts.length > 0 && from >= next.length))
        if (isRead) break
        const part = await parsePart(next, from, () => isMounted.current)
        if (part === undefined) break
        now = { text: next, parts: [...parts, part] }
        const parsedSoFar = now
        startTransition(() => setKnown(parsedSoFar))
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
      }
      isBusy.current = false
    }
    if (isBusy.current) return
    isBusy.current = true
    void read()
  })
  useEffect(() => {
    isMounted.current = true
    return () => {
      isMounted.current = false
    }
  }, [])
  return text.startsWith(known.text) ? known : cachedParts(text)
}

/**
 * GitHub Flavored Markdown as elements. No HTML of the text reaches the page, and nothing that it names is requested. Long texts are
 * rendered part by part, on demand.
 */
export const Markdown = ({ text }: { text: string }) => {
  const [count, setCount] = useState(1)
  const { parts, text: known } = useParts(text, count)
  if (parts.length === 0) return <PlainText text={cutText(text, PART_LETTERS)} />
  const groups = parts.flatMap((part) => part.groups)
  const left = known.length - (parts.at(-1)?.end ?? 0)
  return (
    <div className="leading-6 [overflow-wrap:anywhere] [&>:first-child]:mt-0 [&>:last-child]:mb-0">
      {groups.map((group, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: text that grows keeps what comes before its end.
        <GroupView key={at} group={group} isFar={groups.length > 1} />
      ))}
      {left > 0 && <ShowMore letters={left} onMore={() => setCount(count + 1)} />}
    </div>
  )
}
