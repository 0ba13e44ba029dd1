// The published renderer of A2UI 0.9 and 0.9.1 on a page, as a host application has it: with Markdown.

import {ContextProvider} from '@lit/context';
import {MessageProcessor} from '@a2ui/web_core/v0_9';
import {Context, basicCatalog} from '@a2ui/lit/v0_9';
import {renderMarkdown} from '@a2ui/markdown-it';

new ContextProvider(document.body, {context: Context.markdown, initialValue: renderMarkdown});

window.draw = messages => {
  const surfaces = [];
  const processor = new MessageProcessor([basicCatalog]);
  processor.onSurfaceCreated(surface => surfaces.push(surface));
  processor.processMessages(messages);
  if (surfaces.length !== 1) throw new Error(`${surfaces.length} surfaces`);
  const element = Object.assign(document.createElement('a2ui-surface'), {surface: surfaces[0]});
  document.body.replaceChildren(element);
};
