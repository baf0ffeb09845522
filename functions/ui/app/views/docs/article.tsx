import { Link, useLocation } from '@tanstack/react-router'
import { createElement, Fragment, type ReactNode, useEffect } from 'react'
import { ErrorCode } from '../../components/error-code.tsx'
import { safeLink } from '../../components/link.ts'
import { Scroller } from '../../components/scroller.tsx'
import type { Drawing, GuideNode } from '../../data/guide-node.ts'
import { guideAt, isErrorCode } from './guides.ts'

const linkClass = 'underline underline-offset-2'
/** Longer code wraps. */
const MOST_OF_LINE = 32
const codeClass = (text: string) =>
  `rounded bg-muted px-1 py-0.5 font-mono text-xs ${text.length > MOST_OF_LINE ? '[overflow-wrap:anywhere]' : 'whitespace-nowrap'}`

/** Resolves links between guides: `../reference/errors.md#any-request`, and those of README.md: `docs/guide/tasks.md`. */
const guidePlace = (url: string, group: string) => {
  const [, above = group, page = '', hash] =
    /^(?:(?:\.\.|docs)\/(\w+)\/|\.\/)?([\w-]+)\.md(?:#(.*))?$/.exec(url) ?? []
  return guideAt(above, page) && { group: above, page, hash }
}

const GuideLink = ({
  url,
  group,
  page,
  children,
}: {
  url: string
  group: string
  page: string
  children: ReactNode
}) => {
  const outside = safeLink(url)
  if (outside)
    return (
      <a href={outside} target="_blank" rel="noreferrer" className={linkClass}>
        {children}
      </a>
    )
  const place = url.startsWith('#') ? { group, page, hash: url.slice(1) } : guidePlace(url, group)
  if (!place) return children
  return (
    <Link
      to="/docs/$group/$page"
      params={{ group: place.group, page: place.page }}
      {...(place.hash ? { hash: place.hash } : {})}
      className={linkClass}
    >
      {children}
    </Link>
  )
}

const OWN_ADDRESS = /http:\/\/(?:127\.0\.0\.1|localhost):3000(?![\d:])/g
/** Commands and programs call the service; other blocks show what it prints, or configure it. */
const CALLS: ReadonlySet<unknown> = new Set(['sh', 'ts', 'js'])

const withOrigin = (text: string) => text.replaceAll(OWN_ADDRESS, location.origin)

/** Examples call the service at the origin of the page. */
const codeText = (value: string, lang: GuideNode['lang']) => (CALLS.has(lang) ? withOrigin(value) : value)

const drawingElement = ({ name, attributes, children }: Drawing, key?: number): ReactNode =>
  createElement(
    name,
    { key, ...attributes },
    ...children.map((child, at) => (typeof child === 'string' ? child : drawingElement(child, at))),
  )

/** The text beside a diagram says what it shows. */
const DrawingBlock = ({ drawing, at }: { drawing: Drawing; at: number }) => (
  <Scroller
    label={`Diagram ${at + 1}`}
    role="group"
    className="my-3 overflow-x-auto rounded-md border bg-background p-3 font-sans"
  >
    {drawingElement({
      ...drawing,
      attributes: {
        ...drawing.attributes,
        role: 'img',
        'aria-label': 'Diagram',
        className: 'mx-auto',
      },
    })}
  </Scroller>
)

type Place = { group: string; page: string }
type Draw = (node: GuideNode, place: Place, key: number) => ReactNode

const renderNodes = (nodes: readonly GuideNode[] | undefined, place: Place): ReactNode =>
  nodes?.map((node, at) => {
    const draw = drawers[node.type]
    // biome-ignore lint/suspicious/noArrayIndexKey: a page does not change.
    return <Fragment key={at}>{draw ? draw(node, place, at) : renderNodes(node.children, place)}</Fragment>
  })

const rowClass = 'border-t align-top target:bg-accent'
const cellClass = 'px-2.5 py-1.5 text-left'

const tableCells = ({ children = [] }: GuideNode, kind: 'th' | 'td', place: Place) =>
  children.map((cell, at) =>
    createElement(
      kind,
      { key: at, className: cellClass, scope: kind === 'th' ? 'col' : undefined },
      renderNodes(cell.children, place),
    ),
  )

/** A row may explain several codes, each with an anchor. */
const Row = ({ row, place }: { row: GuideNode; place: Place }) => {
  const [first, ...more] = row.anchors ?? []
  return (
    <tr id={first} className={rowClass}>
      {row.children?.map((cell, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a page does not change.
        <td key={at} className={cellClass}>
          {at === 0 && more.map((anchor) => <span key={anchor} id={anchor} />)}
          {renderNodes(cell.children, place)}
        </td>
      ))}
    </tr>
  )
}

/** Text stays text: nothing in a guide becomes HTML. */
const drawers: { readonly [Type in GuideNode['type']]?: Draw } = {
  text: ({ value }) => value,
  html: () => null,
  paragraph: ({ children }, place) => <p className="my-2">{renderNodes(children, place)}</p>,
  heading: ({ depth = 2, anchors, children }, place) =>
    // The title is the heading of the view.
    depth === 1
      ? null
      : createElement(
          depth === 2 ? 'h2' : 'h3',
          {
            id: anchors?.[0],
            className: depth === 2 ? 'mt-7 mb-2 text-base font-semibold' : 'mt-5 mb-1.5 font-semibold',
          },
          renderNodes(children, place),
        ),
  strong: ({ children }, place) => <strong className="font-semibold">{renderNodes(children, place)}</strong>,
  emphasis: ({ children }, place) => <em>{renderNodes(children, place)}</em>,
  inlineCode: ({ value = '' }, { page }) =>
    // The page of errors does not link to itself.
    isErrorCode(value) && page !== 'errors' ? (
      <ErrorCode code={value} />
    ) : (
      <code className={codeClass(value)}>{value}</code>
    ),
  code: ({ value = '', lang, drawing }, _place, at) =>
    drawing ? (
      <DrawingBlock drawing={drawing} at={at} />
    ) : (
      <Scroller
        label={`${lang ?? 'Code'} ${at + 1}`}
        role="group"
        className="my-3 overflow-x-auto rounded-md border bg-muted/60 px-3 py-2"
      >
        <pre className="w-max min-w-full font-mono text-xs leading-5">
          <code>{codeText(value, lang)}</code>
        </pre>
      </Scroller>
    ),
  list: ({ ordered, children }, place) =>
    ordered ? (
      <ol className="my-2 flex list-decimal flex-col gap-1 pl-5">{renderNodes(children, place)}</ol>
    ) : (
      <ul className="my-2 flex list-disc flex-col gap-1 pl-5">{renderNodes(children, place)}</ul>
    ),
  listItem: ({ children }, place) => <li className="[&>p]:my-0">{renderNodes(children, place)}</li>,
  blockquote: ({ children }, place) => (
    <blockquote className="my-2 border-l-2 pl-3 text-muted-foreground">
      {renderNodes(children, place)}
    </blockquote>
  ),
  thematicBreak: () => <hr className="my-4" />,
  break: () => <br />,
  link: ({ url = '', children }, place) => (
    <GuideLink url={withOrigin(url)} {...place}>
      {children?.[0]?.value === url ? withOrigin(url) : renderNodes(children, place)}
    </GuideLink>
  ),
  image: () => null,
  table: ({ children: [head, ...rows] = [] }, place, at) => (
    <Scroller label={`Table ${at + 1}`} role="group" className="my-3 overflow-x-auto rounded-md border">
      <table
        className={`w-full border-collapse text-sm ${(head?.children ?? []).length > 2 ? 'min-w-120' : ''}`}
      >
        <thead>
          <tr className="bg-muted/60">{head && tableCells(head, 'th', place)}</tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a page does not change.
            <Row key={index} row={row} place={place} />
          ))}
        </tbody>
      </table>
    </Scroller>
  ),
}

export const Article = ({ nodes, ...place }: Place & { nodes: readonly GuideNode[] }) => {
  const hash = useLocation({ select: (location) => location.hash })
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page has other places.
  useEffect(() => {
    const target = hash ? document.getElementById(hash) : null
    target?.closest('tr')?.classList.add('bg-accent')
    target?.scrollIntoView({ block: 'start' })
    return () => target?.closest('tr')?.classList.remove('bg-accent')
  }, [hash, nodes])
  return <article className="leading-6">{renderNodes(nodes, place)}</article>
}
