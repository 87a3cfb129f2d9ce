% Kubernetes: the audit log, with requests as boxes
map(k8s_audit, needs,   [auditID, stage, verb]).
map(k8s_audit, time,    stageTimestamp:rfc3339).
map(k8s_audit, port,    stage, ['RequestReceived'-call, 'ResponseStarted'-event, 'ResponseComplete'-exit, 'Panic'-exception]).
map(k8s_audit, exception_if, responseStatus/code >= 400).
map(k8s_audit, name,    verb).
map(k8s_audit, module,  objectRef/resource).
map(k8s_audit, key,     auditID).
map(k8s_audit, args,    [requestURI, user/username, responseStatus/code]).
% a policy may omit the stage RequestReceived
map(k8s_audit, opens,   first).
