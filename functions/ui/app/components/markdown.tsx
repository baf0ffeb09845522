import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFootnoteFromMarkdown } from 'mdast-util-gfm-footnote'
import { gfmStrikethroughFromMarkdown } from 'mdast-util-gfm-strikethrough'
import { gfmTableFromMarkdown } from 'mdast-util-gfm-table'
import { gfmTaskListItemFromMarkdown } from 'mdast-util-gfm-task-list-item'
import { gfmFootnote } from 'micromark-extension-gfm-footnote'
import { gfmStrikethrough } from 'micromark-extension-gfm-strikethrough'
import { gfmTable } from 'micromark-extension-gfm-table'
import { gfmTaskListItem } from 'micromark-extension-gfm-task-list-item'
import { Fragment, memo, type ReactNode, startTransition, useDeferredValue, useMemo, useState } from 'react'
import { Button } from './button.tsx'
import { Code } from './code.tsx'
import { countOf } from './format.ts'
import { linkOf } from './link.ts'
import { definitionsIn, partsOf } from './markdown-pieces.ts'
import { PlainText } from './plain-text.tsx'
import { Scroller } from './scroller.tsx'

type RootContent = ReturnType<typeof fromMarkdown>['children'][number]
type Kind = RootContent['type']
type Of<K extends Kind> = Extract<RootContent, { type: K }>
type Drawers = { readonly [K in Kind]?: (node: Of<K>) => ReactNode }

const listClass = 'my-1.5 flex flex-col gap-1 pl-5'

const Outside = ({ url, children }: { url: string; children: ReactNode }) => {
  const href = linkOf(url)
  if (href === undefined) return children
  return (
    <a href={href} target="_blank" rel="noreferrer" className="underline underline-offset-2">
      {children}
    </a>
  )
}

/** The mark of an item in a task list. It is an image and no checkbox, since it is read-only. */
const Done = ({ is }: { is: boolean }) => (
  <span role="img" aria-label={is ? 'Done' : 'Not done'} className="text-muted-foreground">
    {is ? '☑' : '☐'}
  </span>
)

type Row = { of: Of<'table'>['children'][number]; align: Of<'table'>['align']; cell: 'th' | 'td' }

const Cells = ({ of, align, cell: Cell }: Row) => (
  <tr>
    {of.children.map(({ children }, at) => (
      <Cell
        // biome-ignore lint/suspicious/noArrayIndexKey: text that grows keeps what comes before its end.
        key={at}
        className={`border px-2 py-1 text-left align-top ${Cell === 'th' ? 'bg-muted font-semibold' : ''}`}
        style={{ textAlign: align?.[at] ?? undefined }}
      >
        {drawn(children)}
      </Cell>
    ))}
  </tr>
)

/** How each kind of node is drawn. HTML is shown as the text it is, and an image by its name: nothing is loaded. */
const drawers: Drawers = {
  text: ({ value }) => value,
  html: ({ value }) => value,
  // A line of the text is a line here: what is not Markdown keeps its form.
  paragraph: ({ children }) => <p className="my-1.5 whitespace-pre-line">{drawn(children)}</p>,
  // No real headings: those of the page would have others between them.
  heading: ({ children }) => <p className="mt-3 mb-1.5 text-base font-semibold">{drawn(children)}</p>,
  strong: ({ children }) => <strong className="font-semibold">{drawn(children)}</strong>,
  emphasis: ({ children }) => <em>{drawn(children)}</em>,
  inlineCode: ({ value }) => <code className="rounded bg-muted px-1 py-0.5 font-mono text-xs">{value}</code>,
  code: ({ value, lang }) => <Code text={value} language={lang} />,
  list: ({ ordered, start, children }) =>
    ordered ? (
      <ol start={start ?? 1} className={`list-decimal ${listClass}`}>
        {drawn(children)}
      </ol>
    ) : (
      <ul className={`list-disc ${listClass}`}>{drawn(children)}</ul>
    ),
  listItem: ({ children, checked }) => (
    <li className={`[&>p]:my-0 ${typeof checked === 'boolean' ? 'flex list-none gap-1.5' : ''}`}>
      {typeof checked === 'boolean' && <Done is={checked} />}
      {typeof checked === 'boolean' ? <div className="[&>p]:my-0">{drawn(children)}</div> : drawn(children)}
    </li>
  ),
  table: ({ children: [head, ...rows], align }) => (
    <Scroller role="group" label="Table" className="my-2 overflow-x-auto">
      <table className="border-collapse">
        {head && (
          <thead>
            <Cells of={head} align={align} cell="th" />
          </thead>
        )}
        <tbody>
          {rows.map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: text that grows keeps what comes before its end.
            <Cells key={at} of={row} align={align} cell="td" />
          ))}
        </tbody>
      </table>
    </Scroller>
  ),
  delete: ({ children }) => <del>{drawn(children)}</del>,
  footnoteReference: ({ label, identifier }) => <sup>[{label ?? identifier}]</sup>,
  footnoteDefinition: ({ label, identifier, children }) => (
    <div className="flex gap-1.5 text-muted-foreground">
      <sup className="pt-2">[{label ?? identifier}]</sup>
      <div className="[&>p]:my-0">{drawn(children)}</div>
    </div>
  ),
  blockquote: ({ children }) => (
    <blockquote className="my-2 border-l-2 pl-3 text-muted-foreground">{drawn(children)}</blockquote>
  ),
  thematicBreak: () => <hr className="my-3" />,
  break: () => <br />,
  link: ({ url, children }) => <Outside url={url}>{drawn(children.map(asText))}</Outside>,
  linkReference: ({ children }) => drawn(children),
  image: ({ alt, url }) => <Outside url={url}>{alt || url}</Outside>,
  imageReference: ({ alt }) => alt,
}

/** An image within a link is its name: a link in a link is none. */
const asText = (node: RootContent): RootContent =>
  node.type === 'image' ? { type: 'text', value: node.alt || node.url } : node

const drawn = (nodes: readonly RootContent[]): ReactNode =>
  nodes.map((node, at) => {
    const draw = drawers[node.type] as ((node: RootContent) => ReactNode) | undefined
    // biome-ignore lint/suspicious/noArrayIndexKey: text that grows keeps what comes before its end.
    return <Fragment key={at}>{draw?.(node)}</Fragment>
  })

// Without GitHub's links of bare addresses: finding them is quadratic in the length of the text.
const extensions = {
  extensions: [gfmTable(), gfmStrikethrough(), gfmTaskListItem(), gfmFootnote()],
  mdastExtensions: [
    gfmTableFromMarkdown(),
    gfmStrikethroughFromMarkdown(),
    gfmTaskListItemFromMarkdown(),
    gfmFootnoteFromMarkdown(),
  ],
}

const Drawn = memo(({ text, definitions }: { text: string; definitions: string }) =>
  drawn(fromMarkdown(definitions === '' ? text : `${definitions}\n\n${text}`, extensions).children),
)

/** So many letters are parsed within a frame or two. */
const MOST_AT_ONCE = 4_000

/** Markdown as elements, with the tables, task lists and footnotes of GitHub's. No HTML of the text gets into the page, and nothing that the text names is asked for. Of a long text the first part is drawn, and more on demand. */
export const Markdown = ({ text }: { text: string }) => {
  // While it is streamed it is read again with each piece: that waits for what is more urgent.
  // A long text is first shown as it was written: its pieces are then drawn one by one, between which the page answers.
  const settled = useDeferredValue(text, text.length > MOST_AT_ONCE ? undefined : text)
  const parts = useMemo(() => partsOf(settled ?? ''), [settled])
  const isOne = parts.length === 1 && parts[0]?.length === 1
  const definitions = useMemo(() => (isOne ? '' : definitionsIn(settled ?? '')), [settled, isOne])
  const [most, setMost] = useState(1)
  const rest = parts.slice(most).flat()
  if (settled === undefined) return <PlainText text={text} />
  return (
    <div className="leading-6 [overflow-wrap:anywhere] [&>:first-child]:mt-0 [&>:last-child]:mb-0">
      {parts
        .slice(0, most)
        .flat()
        .map(({ text: own, isCostly }, at) =>
          isCostly ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: text that grows keeps what comes before its end.
            <PlainText key={at} text={own} />
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: the same.
            <Drawn key={at} text={own} definitions={definitions} />
          ),
        )}
      {rest.length > 0 && (
        <p className="mt-3 flex flex-wrap items-center gap-2">
          <Button size="small" onClick={() => startTransition(() => setMost(most + 1))}>
            Show more
          </Button>
          <span className="text-muted-foreground">
            {countOf(rest.reduce((sum, { text: own }) => sum + own.length, 0))} letters are not shown
          </span>
        </p>
      )}
    </div>
  )
}
