/** What is read rather than scanned is as wide as its lines are legible, in the middle of the page. */
export const columnClass = 'mx-auto w-full max-w-4xl'
