// The published renderer of A2UI 0.8 on a page, as a host application has it: with a theme of its own, and with
// Markdown.

import {ContextProvider} from '@lit/context';
import {Data} from '@a2ui/lit/v0_8';
import {Context} from '@a2ui/lit/ui';
import {renderMarkdown} from '@a2ui/markdown-it';

// The renderer looks every component up here, and adds these classes.
const none = {};
const hints = {all: none, h1: none, h2: none, h3: none, h4: none, h5: none, body: none, caption: none};
const theme = {
  components: {Card: none, Column: none, Row: none, Divider: none, Text: hints},
  elements: {},
  markdown: {},
  additionalStyles: {Card: {border: '1px solid #ccc', padding: '16px'}, Row: {gap: '12px'}},
};

new ContextProvider(document.body, {context: Context.theme, initialValue: theme});
new ContextProvider(document.body, {context: Context.markdown, initialValue: renderMarkdown});

window.draw = messages => {
  const processor = Data.createSignalA2uiMessageProcessor();
  processor.processMessages(messages);
  const surfaces = [...processor.getSurfaces()];
  if (surfaces.length !== 1) throw new Error(`${surfaces.length} surfaces`);
  const [[surfaceId, surface]] = surfaces;
  const element = Object.assign(document.createElement('a2ui-surface'), {surfaceId, surface, processor});
  document.body.replaceChildren(element);
};
