import { Fragment, type ReactNode, useMemo } from 'react'
import { type CodeNode, colourClass, languages } from './code-languages.ts'

const renderNodes = (nodes: readonly CodeNode[]): ReactNode =>
  nodes.map((node, at) => {
    // biome-ignore lint/suspicious/noArrayIndexKey: code that grows keeps what comes before its end.
    if (node.type !== 'element') return <Fragment key={at}>{'value' in node ? node.value : ''}</Fragment>
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: the same.
      <span key={at} className={colourClass(node.properties.className)}>
        {renderNodes(node.children as CodeNode[])}
      </span>
    )
  })

/** Highlighted code; plain text for languages that are not registered. */
export const ColouredCode = ({ text, language }: { text: string; language: string }): ReactNode =>
  useMemo(
    () => (languages.registered(language) ? renderNodes(languages.highlight(language, text).children) : text),
    [text, language],
  )
